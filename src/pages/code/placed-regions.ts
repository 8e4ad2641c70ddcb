import type { EditScript } from '../../diff/edit-script.ts'
import { type ChangePlace, Places } from './places.ts'
import { type DiffRegion, type RegionOptions, regionsOf, rowCountOf } from './regions.ts'
import type { TextLines } from './text-lines.ts'

/** Both documents. */
export interface Texts {
  readonly before: TextLines
  readonly after: TextLines
}

/** A region with its place; the index counts all regions. */
export interface PlacedRegion {
  readonly region: DiffRegion
  readonly index: number
  readonly place: ChangePlace
}

const NOWHERE: ChangePlace = { path: [], entity: null }

/** The regions that match the filter, each with its place. */
export function placedRegions(
  script: EditScript,
  texts: Texts,
  options: RegionOptions & { readonly entity: string; readonly withoutAgents?: boolean },
): PlacedRegion[] {
  const { entity, withoutAgents = false } = options
  const places = new Places(texts.before, texts.after)
  const most = entity === '' && !withoutAgents ? 1 : Infinity
  const placed = regionsOf(script, options).map((region, index) => {
    const found = placesIn(script, region, places, most)
    return { region, index, place: found[0] ?? NOWHERE, found }
  })
  return placed.filter(({ found }) => {
    if (entity !== '' && !found.some((place) => isOf(place, entity))) return false
    return !withoutAgents || found.length === 0 || found.some((place) => !isOfAgent(place))
  })
}

function isOfAgent({ entity }: ChangePlace): boolean {
  return entity?.kind === 'agent'
}

/** The places of the first changes of a region. */
function placesIn(
  script: EditScript,
  { blocks }: DiffRegion,
  places: Places,
  most: number,
): ChangePlace[] {
  const found: ChangePlace[] = []
  for (const { change, isContinued } of blocks) {
    if (found.length >= most) break
    const known = change === null || isContinued ? undefined : script.changes[change - 1]
    if (known) found.push(places.of(known))
  }
  return found
}

function isOf({ entity, path }: ChangePlace, key: string): boolean {
  if (entity !== null && `${entity.kind}/${entity.name}` === key) return true
  return path.some(({ word, name }) => `${word}/${name}` === key)
}

/** One page shows about this many rows at most; regions are not split. */
const MOST_ROWS = 800

/** The first region of each page. */
export function pagesOf(regions: readonly PlacedRegion[]): number[] {
  const starts = [0]
  let rows = 0
  for (const [n, { region }] of regions.entries()) {
    const taken = region.blocks.reduce((sum, block) => sum + rowCountOf(block), 0)
    if (rows > 0 && rows + taken > MOST_ROWS) {
      starts.push(n)
      rows = 0
    }
    rows += taken
  }
  return starts
}
