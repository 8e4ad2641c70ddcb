import type { Child } from 'hono/jsx'
import { wholeEntityWord } from '../../document/entities/entities.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import { hasHistory } from '../revisions/entity-address.ts'
import type { Links } from './links.ts'

export interface ChangeListProps {
  readonly changes: readonly DocumentChange[]
  /** The link for the name of an entity; null for none. */
  readonly linkOf: (entity: Entity) => string | null
  /** The maximal number of shown changes. */
  readonly most: number
  /** The link to all changes, when there are more. */
  readonly more: (left: number) => Child
}

interface Entity {
  readonly kind: string
  readonly name: string
  readonly label: string
}

interface Group {
  readonly entity: Entity | null
  readonly changes: readonly DocumentChange[]
}

/** Described changes, grouped by entity. */
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
          <EntityLink entity={entity} href={hrefOf(entity, linkOf)} />
        </p>
      )}
      <ChangeItems changes={changes} href={entity && isWhole ? hrefOf(entity, linkOf) : null} />
    </>
  )
}

/** An entity without a name has no history page. */
function hrefOf(entity: Entity, linkOf: ChangeListProps['linkOf']): string | null {
  return hasHistory(entity.kind) ? linkOf(entity) : null
}

/** Changes without the name of their entity, where it is clear from the context. */
export function ChangeItems({
  changes,
  href,
}: {
  changes: readonly DocumentChange[]
  href: string | null
}) {
  return (
    <ul>
      {changes.map((change) => (
        <li>
          <span class={`badge ${badgeOf(change)}`}>{change.kind}</span>{' '}
          <Sentence change={change} href={href} />
        </li>
      ))}
    </ul>
  )
}

export function EntityLink({ entity, href }: { entity: Entity; href: string | null }) {
  const { kind, label } = entity
  const text = (
    <>
      {kind !== 'pipeline' && <span class="muted">{`${kind} `}</span>}
      <b>{label}</b>
    </>
  )
  return href === null ? <span>{text}</span> : <a href={href}>{text}</a>
}

function Sentence({ change, href }: { change: DocumentChange; href: string | null }) {
  if (isAboutAll(change)) return <WholeEntity change={change} href={href} />
  const { kind, path, subject } = change
  return (
    <span>
      {path.map((part, n) => (
        <>
          {n > 0 && ' › '}
          <PathPart part={part} />
        </>
      ))}
      {path.length > 0 && ': '}
      {kind === 'reformatted' ? `${subject} only` : subject} <Values change={change} />
    </span>
  )
}

/** `stage test`: the kind in grey, the name in bold. */
function PathPart({ part }: { part: string }) {
  const space = part.indexOf(' ')
  if (space === -1) return <span>{part}</span>
  return (
    <>
      <span class="muted">{part.slice(0, space + 1)}</span>
      <b>{part.slice(space + 1)}</b>
    </>
  )
}

function WholeEntity({ change, href }: { change: DocumentChange; href: string | null }) {
  const { kind, subject, label } = change
  if (kind === 'renamed') return <Values change={change} />
  const word = subject.endsWith(` ${label}`) ? subject.slice(0, -label.length) : ''
  const name = word === '' ? subject : label
  return (
    <span>
      <span class="muted">{word}</span>
      {href === null ? <b>{name}</b> : <a href={href}>{name}</a>}
      <Values change={change} />
    </span>
  )
}

/**
 * The value before, struck through, and the one after; for added or removed entities, their value
 * or size.
 */
function Values({ change }: { change: DocumentChange }) {
  const { kind, from, to, lines } = change
  if (kind === 'added' || kind === 'removed') {
    const value = from ?? to ?? (lines === undefined ? null : `${lines} lines`)
    return value === null ? <></> : <span class="muted">{` (${value})`}</span>
  }
  if (kind === 'reordered' || kind === 'reformatted') return <></>
  return (
    <span class="values">
      {' '}
      <del>{shown(from)}</del>
      <span aria-hidden="true"> → </span>
      <span class="visually-hidden"> to </span>
      <ins>{shown(to)}</ins>
    </span>
  )
}

function shown(value: string | undefined): string {
  if (value === undefined) return 'unset'
  return value === '' ? 'empty' : value
}

function isAboutAll(change: DocumentChange): boolean {
  return wholeEntityWord(change) !== null
}

function badgeOf({ kind }: DocumentChange): string {
  if (kind === 'reordered') return 'renamed'
  return kind === 'reformatted' ? '' : kind
}

/** Groups the changes by entity, in the order of the first change of each. */
function groupsOf(changes: readonly DocumentChange[]): Group[] {
  const groups = new Map<string, { entity: Entity | null; changes: DocumentChange[] }>()
  for (const change of changes) {
    const group = groups.get(change.entity) ?? { entity: entityOf(change), changes: [] }
    group.changes.push(change)
    groups.set(change.entity, group)
  }
  return [...groups.values()]
}

/** Null for a change of the document as a whole. */
function entityOf({ entity, label }: DocumentChange): Entity | null {
  if (entity === 'document') return null
  const [kind = '', ...name] = entity.split('/')
  return { kind, name: name.join('/'), label: name.length > 0 ? label : '' }
}

/** Links to the history of the entity. */
export function toEntityHistory(links: Links): ChangeListProps['linkOf'] {
  return ({ kind, name }) => links.entity(kind, name)
}
