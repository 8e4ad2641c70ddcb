import type { ShownPlace } from '../work/shown-outline.ts'

export interface OutlineProps {
  /** Null when the document is not readable XML. */
  readonly outline: readonly ShownPlace[] | null
  /** The address of a place, which comes with those around it, from the inside. */
  readonly linkOf: (place: ShownPlace, ...around: readonly ShownPlace[]) => string
}

/** Groups are unfolded up to this number of pipelines. */
const MAX_OPEN = 40

/** Groups, pipelines and stages, each a link to its first line. */
export function OutlineView({ outline, linkOf }: OutlineProps) {
  if (outline === null) return <></>
  const members = outline.reduce((sum, { count }) => sum + count, 0)
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
            isOpen={entry.kind === 'group' && members <= MAX_OPEN}
          />
        ))}
      </ul>
    </nav>
  )
}

interface SectionProps extends Pick<OutlineProps, 'linkOf'> {
  readonly entry: ShownPlace
  readonly isOpen: boolean
}

function Section({ entry, linkOf, isOpen }: SectionProps) {
  const { children, count } = entry
  if (count === 0) {
    return (
      <li>
        <Place entry={entry} link={linkOf(entry)} />
      </li>
    )
  }
  return (
    <li>
      <details open={isOpen}>
        <summary>
          <span {...factsOf(entry)}>{labelOf(entry)}</span>{' '}
          <span class="muted">{String(count)}</span>
        </summary>
        <ul>
          {children.map((child) => (
            <li>
              <Place entry={child} link={linkOf(child, entry)} />
              {child.children.length > 0 && (
                <ul>
                  {child.children.map((stage) => (
                    <li>
                      <Place entry={stage} link={linkOf(stage, child, entry)} />
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
          {children.length < count && (
            <li>
              <a href={linkOf(entry)}>
                {`${(count - children.length).toLocaleString('en')} more in other parts`}
              </a>
            </li>
          )}
        </ul>
      </details>
    </li>
  )
}

function Place({ entry, link }: { readonly entry: ShownPlace; readonly link: string }) {
  return (
    <a href={link} {...factsOf(entry)}>
      {labelOf(entry)}
    </a>
  )
}

/** The line facts of an entry that the script needs. */
function factsOf({ kind, entity, first, last }: ShownPlace) {
  return {
    'data-kind': kind,
    'data-entity': entity ?? undefined,
    'data-first': String(first),
    'data-last': String(last),
  }
}

function labelOf({ kind, name }: ShownPlace): string {
  return name === '' ? kind : name
}

/** The entries that contain a line, outermost first. */
export function pathAt(entries: readonly ShownPlace[] | null, line: number): ShownPlace[] {
  const entry = entries?.find(({ first, last }) => line >= first && line <= last)
  return entry ? [entry, ...pathAt(entry.children, line)] : []
}
