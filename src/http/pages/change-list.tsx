import type { Child } from 'hono/jsx'
import type { Change } from '../../services/pages/revision-details.ts'
import type { Links } from './links.ts'

export interface ChangeListProps {
  readonly changes: readonly Change[]
  /** Where the name of an entity leads to; null for nowhere. */
  readonly linkOf: (entity: Entity) => string | null
  /** How many changes are shown at most. */
  readonly most: number
  /** What leads to all of them, when there are more. */
  readonly more: (left: number) => Child
}

type Entity = NonNullable<Change['entity']>

interface Group {
  readonly entity: Entity | null
  readonly changes: readonly Change[]
}

/** What changed, in sentences, grouped by what they are about. */
export function ChangeList({ changes, linkOf, most, more }: ChangeListProps) {
  const left = changes.length - most
  return (
    <div class="changes">
      {groupsOf(changes.slice(0, most)).map((group) => (
        <ChangeGroup group={group} linkOf={linkOf} />
      ))}
      {left > 0 && <p class="more">{more(left)}</p>}
    </div>
  )
}

function ChangeGroup({ group, linkOf }: { group: Group } & Pick<ChangeListProps, 'linkOf'>) {
  const { entity, changes } = group
  const isWhole = changes.length === 1 && changes.every(isAboutAll)
  return (
    <>
      {entity !== null && !isWhole && (
        <p class="entity">
          <EntityName entity={entity} href={linkOf(entity)} />
        </p>
      )}
      <ul>
        {changes.map((change) => (
          <li>
            <span class={`badge ${badgeOf(change)}`}>{change.kind}</span>{' '}
            <Sentence change={change} href={entity && isWhole ? linkOf(entity) : null} />
          </li>
        ))}
      </ul>
    </>
  )
}

export function EntityName({ entity, href }: { entity: Entity; href: string | null }) {
  const { kind, label } = entity
  const text = (
    <>
      {kind !== 'pipeline' && <span class="muted">{`${kind} `}</span>}
      <b>{label}</b>
    </>
  )
  return href === null ? <span>{text}</span> : <a href={href}>{text}</a>
}

function Sentence({ change, href }: { change: Change; href: string | null }) {
  if (change.kind === 'reformatted') return <span>layout and comments only</span>
  if (isAboutAll(change)) return <WholeEntity change={change} href={href} />
  const { path, what } = change
  return (
    <span>
      {path.map((part, n) => (
        <>
          {n > 0 && ' › '}
          <PathPart part={part} />
        </>
      ))}
      {path.length > 0 && what !== '' && ': '}
      {what} <Values change={change} />
    </span>
  )
}

/** `stage test`: the word in grey, the name in bold. */
function PathPart({ part }: { part: string }) {
  const space = part.lastIndexOf(' ')
  if (space === -1) return <span>{part}</span>
  return (
    <>
      <span class="muted">{part.slice(0, space + 1)}</span>
      <b>{part.slice(space + 1)}</b>
    </>
  )
}

function WholeEntity({ change, href }: { change: Change; href: string | null }) {
  const { entity, kind, before, after } = change
  if (!entity) return <span>{change.what}</span>
  if (kind === 'renamed') return <Values change={change} />
  const name = href === null ? <b>{entity.label}</b> : <a href={href}>{entity.label}</a>
  return (
    <span>
      <span class="muted">{`${entity.kind} `}</span>
      {name}
      {kind === 'added' && after !== null && <span class="muted">{` to group ${after}`}</span>}
      {kind === 'removed' && before !== null && (
        <span class="muted">{` from group ${before}`}</span>
      )}
      {kind === 'moved' && <span class="muted"> from group</span>}
      {kind === 'moved' && <Values change={change} />}
    </span>
  )
}

/** The value before, struck through, and the one after. */
function Values({ change: { kind, before, after } }: { change: Change }) {
  if (!['changed', 'renamed', 'moved'].includes(kind) || (before === null && after === null))
    return <></>
  return (
    <span class="values">
      {' '}
      <del>{shown(before)}</del>
      <span aria-hidden="true"> → </span>
      <span class="visually-hidden"> to </span>
      <ins>{shown(after)}</ins>
    </span>
  )
}

const LONGEST = 80

function shown(value: string | null): string {
  if (value === null) return 'unset'
  if (value === '') return 'empty'
  return value.length > LONGEST ? `${value.slice(0, LONGEST - 1)}…` : value
}

function isAboutAll({ entity, path, what }: Change): boolean {
  return entity !== null && path.length === 0 && what === ''
}

function badgeOf({ kind }: Change): string {
  if (kind === 'moved' || kind === 'reordered') return 'renamed'
  return kind === 'reformatted' ? '' : kind
}

/** Changes of one entity together, in the order of the first of each. */
function groupsOf(changes: readonly Change[]): Group[] {
  const groups = new Map<string, { entity: Entity | null; changes: Change[] }>()
  for (const change of changes) {
    const { entity } = change
    const key = entity === null ? '' : `${entity.kind}/${entity.name}`
    const group = groups.get(key) ?? { entity, changes: [] }
    group.changes.push(change)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** To the history of the entity itself. */
export function toEntityHistory(links: Links): ChangeListProps['linkOf'] {
  return ({ kind, name }) => links.entity(kind, name)
}
