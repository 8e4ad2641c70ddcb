import type { EntityRenames } from '../../document/compare/compare-entities.ts'
import { entityScope, type EntityScope } from '../../document/changes/entity-scope.ts'
import { foldEntity } from '../../document/entities/entities.ts'
import type { EditScript } from '../../diff/edit-script.ts'
import { type ChangePlace, Places } from './places.ts'
import type { LineRange } from '../../diff/lines.ts'
import {
  type Block,
  type DiffRegion,
  type RegionOptions,
  regionsOf,
  rowCountOf,
} from './regions.ts'
import type { TextLines } from '../../document/text/text-lines.ts'

/** Both documents. */
export interface Texts {
  readonly before: TextLines
  readonly after: TextLines
}

/** The entity that a comparison is narrowed to. */
export interface NarrowingOptions {
  /** Such as `pipeline/checkout`, or `group/shop` with its pipelines; empty for all. */
  readonly entity: string
  /** The known renames from the first document to the second. */
  readonly renames?: EntityRenames
}

/** The names that a comparison is narrowed to; null for all. */
export function scopeIn(
  { before, after }: Texts,
  { entity, renames = [] }: NarrowingOptions,
): EntityScope | null {
  return entity === '' ? null : entityScope([entity], [before.text, after.text], renames)
}

/** A region with its place; the index counts all regions. */
export interface PlacedRegion {
  readonly region: DiffRegion
  readonly index: number
  /** Reads the text up to the place: asked in order, and only for what is shown. */
  readonly place: () => ChangePlace
}

const NOWHERE: ChangePlace = { path: [], entity: null }

/** The regions that match the filter, each with its place; their changes are counted from 1. */
export function placedRegions(
  script: EditScript,
  texts: Texts,
  options: RegionOptions & NarrowingOptions & { readonly withoutAgents?: boolean },
): PlacedRegion[] {
  const { withoutAgents = false } = options
  const places = new Places(texts.before, texts.after)
  const regions = regionsOf(script, options)
  const scope = scopeIn(texts, options)
  if (scope !== null) {
    const narrowed = regions.flatMap((region, index) => narrowedTo(scope, region, index, places))
    return counted(withoutAgents ? narrowed.filter(({ place }) => !isOfAgent(place())) : narrowed)
  }
  if (!withoutAgents) {
    return regions.map((region, index) => {
      return { region, index, place: () => placesIn(script, region, places, 1)[0] ?? NOWHERE }
    })
  }
  const placed = regions.map((region, index) => {
    const found = placesIn(script, region, places, Infinity)
    return { region, index, place: () => found[0] ?? NOWHERE, found }
  })
  const matching = placed.filter(({ found }) => {
    return found.length === 0 || found.some((place) => !isOfAgent(place))
  })
  return matching.length === placed.length ? placed : counted(matching)
}

/** A region with the changed lines of a scope alone; none if it has no such lines. */
function narrowedTo(
  scope: EntityScope,
  region: DiffRegion,
  index: number,
  places: Places,
): PlacedRegion[] {
  const found: ChangePlace[] = []
  const blocks = region.blocks.flatMap((block) => {
    if (block.change === null) return [block]
    const before = places.within('before', block.before, (place) => isOf(place, scope))
    const after = places.within('after', block.after, (place) => isOf(place, scope))
    const lines = after ?? before
    if (lines === null) return []
    found.push(lines.place)
    // Where all lines that are new are of the entity, the older ones had its older name.
    const isWhole = after?.start === block.after.start && after.end === block.after.end
    return [
      {
        ...block,
        before: before ?? (isWhole ? block.before : noneOf(block.before)),
        after: after ?? noneOf(block.after),
      },
    ]
  })
  const [place] = found
  return place === undefined ? [] : [{ region: { ...region, blocks }, index, place: () => place }]
}

function noneOf({ start }: LineRange): LineRange {
  return { start, end: start }
}

/** Counts the changes of some regions again, so that no number is left out. */
function counted(regions: readonly PlacedRegion[]): PlacedRegion[] {
  let last = 0
  let known: number | null = null
  return regions.map(({ region, ...place }) => {
    const blocks = region.blocks.map((block) => {
      if (block.change === null) return block
      const isContinued = block.change === known
      known = block.change
      if (!isContinued) last += 1
      return { ...block, change: last, isContinued }
    })
    return { ...place, region: { ...region, blocks } }
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

function isOf({ entity, path }: ChangePlace, scope: EntityScope): boolean {
  if (entity !== null && scope.has(foldEntity(`${entity.kind}/${entity.name}`))) return true
  return path.some(({ word, name }) => scope.has(foldEntity(`${word}/${name}`)))
}

/**
 * One page shows about as many rows and characters of both sides at most, which have up to 10,000 elements; regions are
 * not split.
 */
const MAX_ROWS = 600
const MAX_CHARACTERS = 40_000

/** The part of a diff on one page. */
export interface DiffPart {
  /** Its regions: the first one, and the one after the last. */
  readonly start: number
  readonly end: number
  /** The numbers of the changes that begin on it, or null. */
  readonly changes: { readonly first: number; readonly last: number } | null
  /** Its lines of the text after. */
  readonly lines: LineRange
}

/** The parts of a diff that fit on a page each. */
export function diffPartsOf(regions: readonly PlacedRegion[], texts: Texts): DiffPart[] {
  const starts = startsOf(regions, texts)
  return starts.map((start, n) => {
    const end = starts[n + 1] ?? regions.length
    const blocks = regions.slice(start, end).flatMap(({ region }) => region.blocks)
    const begun = blocks.flatMap(({ change, isContinued }) =>
      change === null || isContinued ? [] : [change],
    )
    const [first, last] = [begun[0], begun.at(-1)]
    return {
      start,
      end,
      changes: first === undefined || last === undefined ? null : { first, last },
      lines: { start: blocks[0]?.after.start ?? 0, end: blocks.at(-1)?.after.end ?? 0 },
    }
  })
}

/** The first region of each page. */
function startsOf(regions: readonly PlacedRegion[], texts: Texts): number[] {
  const starts = [0]
  let filled = 0
  for (const [n, { region }] of regions.entries()) {
    const taken = region.blocks.reduce((sum, block) => sum + shareOfPage(block, texts), 0)
    if (filled > 0 && filled + taken > 1) {
      starts.push(n)
      filled = 0
    }
    filled += taken
  }
  return starts
}

/** The share of a page that a block fills. */
function shareOfPage(block: Block, { before, after }: Texts): number {
  const characters = lengthOf(before, block.before) + lengthOf(after, block.after)
  return Math.max(rowCountOf(block) / MAX_ROWS, characters / MAX_CHARACTERS)
}

function lengthOf({ text, starts }: TextLines, { start, end }: LineRange): number {
  return (starts[end] ?? text.length) - (starts[start] ?? text.length)
}

/** A change as a mark in the overview. */
export interface ChangeMark {
  readonly number: number
  /** The page that shows it, given by the first region of that page. */
  readonly start: number
  /** Its start and its size, as parts of the whole. */
  readonly at: number
  readonly size: number
  readonly kind: 'added' | 'removed' | 'changed'
}

const MAX_MARKS = 400

/** The changes of the regions for an overview; some are left out if there are very many. */
export function marksOf(
  script: EditScript,
  regions: readonly PlacedRegion[],
  parts: readonly DiffPart[],
): ChangeMark[] {
  const total = Math.max(1, script.after.count)
  const every = Math.ceil(script.changes.length / MAX_MARKS)
  const seen = new Set<number>()
  return regions.flatMap(({ region }, n) => {
    const start = parts.findLast((part) => part.start <= n)?.start ?? 0
    return region.blocks.flatMap(({ change, isContinued, before, after }) => {
      if (change === null || isContinued || seen.has(change)) return []
      seen.add(change)
      if ((change - 1) % every !== 0) return []
      const size = (after.end - after.start) / total
      const kind = kindOf(before, after)
      return [{ number: change, start, at: after.start / total, size, kind }]
    })
  })
}

function kindOf(before: LineRange, after: LineRange): ChangeMark['kind'] {
  if (before.start === before.end) return 'added'
  return after.start === after.end ? 'removed' : 'changed'
}
