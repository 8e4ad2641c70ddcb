import type { ShownRegion } from './comparison.ts'
import type { Links } from '../kit/links.ts'

export interface HunkLinksProps {
  readonly links: Links
  readonly region: ShownRegion
  readonly from: string
  readonly to: string
}

/** Links to the history of the entity at this place, and to the line in the whole document. */
export function HunkLinks({ links, region, from, to }: HunkLinksProps) {
  const { entity } = region.place
  const { side, number } = region.line
  const file = links.snapshot(side === 'before' ? from : to, { line: number })
  return (
    <>
      {entity !== null && (
        <a href={links.entity(entity.kind, entity.name)}>
          History
          <span class="visually-hidden">{` of ${entity.kind} ${entity.name}`}</span>
        </a>
      )}
      <a href={`${file}#L${number}`}>{`Line ${number} in file`}</a>
    </>
  )
}
