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
  /** How many entities are shown at once; the others are folded. All when absent. */
  readonly atOnce?: number
  /** The link to all changes, when there are more. */
  readonly more: (left: number) => Child
}

interface Entity {
  readonly kind: string
  readonly name: string
  readonly label: string
}

/** Changes of one entity, or those that several of a kind have in common; of the document without any. */
interface Group {
  readonly entities: readonly Entity[]
  readonly changes: readonly DocumentChange[]
}

/** Described changes, grouped by entity; what many have in common is said once. */
export function ChangeList({ changes, linkOf, most, more, atOnce = Infinity }: ChangeListProps) {
  const groups = shownOf(groupsOf(changes), most)
  const left = changes.length - groups.reduce((sum, group) => sum + countOf(group), 0)
  const folded = groups.slice(atOnce)
  return (
    <div class="changes">
      {groups.slice(0, atOnce).map((group) => (
        <ChangeGroup group={group} linkOf={linkOf} />
      ))}
      {folded.length > 0 && (
        <details class="more">
          <summary>{`Show all ${groups.length}`}</summary>
          {folded.map((group) => (
            <ChangeGroup group={group} linkOf={linkOf} />
          ))}
        </details>
      )}
      {left > 0 && <p class="more">{more(left)}</p>}
    </div>
  )
}

/** Changes above the text that shows them all. */
export function ChangesAboveText({
  changes,
  linkOf = () => null,
}: Pick<ChangeListProps, 'changes'> & Partial<Pick<ChangeListProps, 'linkOf'>>) {
  return <ChangeList changes={changes} linkOf={linkOf} most={60} more={restInText} />
}

function restInText(left: number): string {
  return `and ${left} more, in the text below`
}

/** The first groups, with at most so many changes; what is said of several counts once. */
function shownOf(groups: readonly Group[], most: number): Group[] {
  let room = most
  return groups.flatMap((group) => {
    const changes = group.changes.slice(0, Math.max(0, room))
    room -= changes.length
    return changes.length === 0 ? [] : [{ ...group, changes }]
  })
}

function countOf({ entities, changes }: Group): number {
  return changes.length * Math.max(1, entities.length)
}

function ChangeGroup({ group, linkOf }: { group: Group } & Pick<ChangeListProps, 'linkOf'>) {
  const { entities, changes } = group
  const [entity] = entities
  if (entities.length > 1) return <CommonChanges group={group} linkOf={linkOf} />
  const isWhole = changes.length === 1 && changes.every(isAboutAll)
  return (
    <>
      {entity !== undefined && !isWhole && (
        <p class="entity">
          <EntityLink entity={entity} href={hrefOf(entity, linkOf)} />
        </p>
      )}
      <ChangeItems changes={changes} href={entity && isWhole ? hrefOf(entity, linkOf) : null} />
    </>
  )
}

/** At most so many of the entities that changes have in common are named. */
const MOST_NAMED = 100

function CommonChanges({
  group: { entities, changes },
  linkOf,
}: { group: Group } & Pick<ChangeListProps, 'linkOf'>) {
  const [one] = entities
  const kinds = `${one?.kind ?? ''}s`.replace(/ys$/, 'ies')
  return (
    <>
      <details class="entity">
        <summary>
          In <b>{`${entities.length} ${kinds}`}</b>
        </summary>
        <p>
          {entities.slice(0, MOST_NAMED).map((entity, n) => (
            <>
              {n > 0 && ', '}
              <EntityLink entity={{ ...entity, kind: 'pipeline' }} href={hrefOf(entity, linkOf)} />
            </>
          ))}
          {entities.length > MOST_NAMED && ` and ${entities.length - MOST_NAMED} more`}
        </p>
      </details>
      <ChangeItems changes={changes} href={null} />
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

interface OpenGroup {
  readonly entities: Map<string, Entity>
  readonly changes: Map<string, DocumentChange>
}

/** As many entities of a kind need the same change for it to be said once. */
const FEWEST_IN_COMMON = 3

/**
 * Groups the changes by entity, in the order of the first change of each. The changes that several
 * entities have in common are a group of their own.
 */
function groupsOf(changes: readonly DocumentChange[]): Group[] {
  const common = commonOf(changes)
  const groups = new Map<string, OpenGroup>()
  for (const change of changes) {
    const signature = isShareable(change) ? signatureOf(change) : ''
    const together = common.get(signature)
    const key = together ?? change.entity
    const group: OpenGroup = groups.get(key) ?? { entities: new Map(), changes: new Map() }
    const entity = entityOf(change)
    if (entity !== null) group.entities.set(change.entity, entity)
    group.changes.set(together === undefined ? `${group.changes.size}` : signature, change)
    groups.set(key, group)
  }
  return Array.from(groups.values(), (group) => ({
    entities: [...group.entities.values()],
    changes: [...group.changes.values()],
  }))
}

/** The names of the entities that have a change in common, as one text, by its signature. */
function commonOf(changes: readonly DocumentChange[]): ReadonlyMap<string, string> {
  const sharing = new Map<string, Set<string>>()
  for (const change of changes.filter(isShareable)) {
    const signature = signatureOf(change)
    const entities = sharing.get(signature) ?? new Set()
    sharing.set(signature, entities.add(change.entity))
  }
  const common = [...sharing].filter(([, entities]) => entities.size >= FEWEST_IN_COMMON)
  return new Map(common.map(([signature, entities]) => [signature, [...entities].join('\n')]))
}

/** What is said of a whole entity, or of the document, is not said of others. */
function isShareable(change: DocumentChange): boolean {
  return change.entity !== 'document' && !isAboutAll(change)
}

/** Equal for the same change of two entities of one kind. */
function signatureOf({ kind, entity, path, subject, from, to, lines }: DocumentChange): string {
  const of = entity.slice(0, entity.indexOf('/'))
  return JSON.stringify([of, kind, path, subject, from, to, lines])
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
