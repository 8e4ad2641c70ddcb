import type { SnapshotPage } from './snapshot-page.ts'

type Entry = NonNullable<SnapshotPage['outline']>[number]

export interface OutlineProps {
  readonly page: Pick<SnapshotPage, 'outline' | 'first' | 'last'>
  readonly linkOf: (line: number) => string
}

/** With more entries, stages are only listed for pipelines on the page. */
const MOST_ENTRIES = 1200
/** With more members, a group only lists those on the page. */
const MOST_MEMBERS = 2500
/** Groups are unfolded up to this number of pipelines. */
const MOST_OPEN = 40

/** Groups, pipelines and stages, each a link to its first line. */
export function OutlineView({ page, linkOf }: OutlineProps) {
  const outline = page.outline
  if (outline === null) return <></>
  const isLarge = sizeOf(outline) > MOST_ENTRIES
  const pipelines = outline.reduce((sum, { children }) => sum + children.length, 0)
  const isOnPage = ({ first, last }: Entry) => last >= page.first && first <= page.last
  return (
    <nav class="outline card" aria-label="Outline">
      <input
        type="search"
        class="with-script"
        id="outline-filter"
        placeholder="Find pipeline, stage, agent"
        aria-label="Find in the outline"
      />
      <ul>
        {outline.map((entry) => (
          <Section
            entry={entry}
            linkOf={linkOf}
            isOpen={entry.kind === 'group' && pipelines <= MOST_OPEN}
            isListed={(child) => pipelines <= MOST_MEMBERS || isOnPage(child)}
            withStages={(child) => !isLarge || isOnPage(child)}
          />
        ))}
      </ul>
    </nav>
  )
}

function sizeOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { children }) => sum + 1 + sizeOf(children), 0)
}

interface SectionProps extends Pick<OutlineProps, 'linkOf'> {
  readonly entry: Entry
  readonly isOpen: boolean
  readonly isListed: (entry: Entry) => boolean
  readonly withStages: (entry: Entry) => boolean
}

function Section({ entry, linkOf, isOpen, isListed, withStages }: SectionProps) {
  const { children } = entry
  const listed = children.filter(isListed)
  if (children.length === 0) {
    return (
      <li>
        <Place entry={entry} linkOf={linkOf} />
      </li>
    )
  }
  return (
    <li>
      <details open={isOpen}>
        <summary>
          <span {...factsOf(entry)}>{labelOf(entry)}</span>{' '}
          <span class="muted">{String(children.length)}</span>
        </summary>
        <ul>
          {listed.map((child) => (
            <li>
              <Place entry={child} linkOf={linkOf} />
              {child.children.length > 0 && withStages(child) && (
                <ul>
                  {child.children.map((stage) => (
                    <li>
                      <Place entry={stage} linkOf={linkOf} />
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
          {listed.length < children.length && (
            <li>
              <a href={linkOf(entry.first)}>
                {`${(children.length - listed.length).toLocaleString('en')} more in other parts`}
              </a>
            </li>
          )}
        </ul>
      </details>
    </li>
  )
}

function Place({ entry, linkOf }: { entry: Entry } & Pick<OutlineProps, 'linkOf'>) {
  return (
    <a href={linkOf(entry.first)} {...factsOf(entry)}>
      {labelOf(entry)}
    </a>
  )
}

/** The line facts of an entry that the script needs. */
function factsOf({ kind, entity, first, last }: Entry) {
  return {
    'data-kind': kind,
    'data-entity': entity ?? undefined,
    'data-first': String(first),
    'data-last': String(last),
  }
}

function labelOf({ kind, name }: Entry): string {
  return name === '' ? kind : name
}

/** The entries that contain a line, outermost first. */
export function pathAt(entries: readonly Entry[] | null, line: number): Entry[] {
  const entry = entries?.find(({ first, last }) => line >= first && line <= last)
  return entry ? [entry, ...pathAt(entry.children, line)] : []
}
