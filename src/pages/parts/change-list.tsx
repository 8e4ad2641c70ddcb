import type { Child } from 'hono/jsx'
import type { DocumentChange } from '../../document/entities/change.ts'
import { SERVER } from '../../document/entities/entities.ts'
import { hasHistory } from '../revisions/entity-address.ts'
import {
  type ChangedEntity,
  type ChangeGroup as Group,
  firstListed,
  isAboutAll,
  type ListedChanges,
  listChanges,
} from './change-groups.ts'
import { runSync } from '../../lib/cooperative.ts'
import { moreOf, Separated } from '../kit/lists.tsx'
import type { Links } from '../kit/links.ts'

export interface ChangeListProps extends Omit<ListedChangeGroupsProps, 'listed'> {
  readonly changes: readonly DocumentChange[]
  /** The maximal number of shown changes. */
  readonly most: number
}

export interface ListedChangeGroupsProps {
  readonly listed: ListedChanges
  /** The link for the name of an entity; null for none. */
  readonly linkOf: (entity: ChangedEntity) => string | null
  /** How many entities are shown at once; the others are folded. All when absent. */
  readonly atOnce?: number
  /** The link to all changes, when there are more. */
  readonly more: (left: number) => Child
}

/** Described changes, grouped by entity; what many have in common is said once. */
export function ChangeList({ changes, most, ...props }: ChangeListProps) {
  return <ListedChangeGroups listed={runSync(listChanges(changes, most))} {...props} />
}

/** The same for changes that are grouped already. */
export function ListedChangeGroups({
  listed: { groups, left },
  linkOf,
  more,
  atOnce = Infinity,
}: ListedChangeGroupsProps) {
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

/** The first changes on one line, each with its kind as a mark. */
export function ChangeGist({
  listed: { groups, left },
  linkOf,
  more,
}: Omit<ListedChangeGroupsProps, 'atOnce'>) {
  return (
    <p class="gist">
      {groups.flatMap((group) =>
        group.changes.map((change, n) => (
          <span class="gist-change">
            <Mark kind={change.kind} />
            {n === 0 && !isAboutAll(change) && <GistSubject group={group} linkOf={linkOf} />}
            <Sentence change={change} href={gistHref(group, linkOf)} isBrief />
          </span>
        )),
      )}
      {left > 0 && <span>{more(left)}</span>}
    </p>
  )
}

function gistHref({ entities: [entity] }: Group, linkOf: ListedChangeGroupsProps['linkOf']) {
  return entity ? hrefOf(entity, linkOf) : null
}

interface GroupProps extends Pick<ListedChangeGroupsProps, 'linkOf'> {
  readonly group: Group
}

function GistSubject({ group: { entities, unnamed }, linkOf }: GroupProps) {
  const [entity] = entities
  if (entity === undefined) return <></>
  const count = entities.length + unnamed
  return (
    <>
      {count > 1 ? (
        <b>{`${count} ${pluralOf(entity.kind)}`}</b>
      ) : (
        <EntityLink entity={entity} href={hrefOf(entity, linkOf)} />
      )}{' '}
    </>
  )
}

const MARKS: Readonly<Record<DocumentChange['kind'], string>> = {
  added: '+',
  removed: '−',
  changed: '~',
  renamed: '→',
  reordered: '↕',
  reformatted: '¶',
}

/** The kind of a change as a sign. */
export function Mark({ kind }: { kind: DocumentChange['kind'] }) {
  return (
    <span class={`mark badge ${badgeOf(kind)}`} title={kind}>
      <span aria-hidden="true">{MARKS[kind]}</span>
      <span class="visually-hidden">{`${kind} `}</span>
    </span>
  )
}

/** `pipelines`, `repositories` */
export function pluralOf(kind: string): string {
  return `${kind}s`.replace(/ys$/, 'ies')
}

/** At most so many changes stand above a text. */
const MAX_ABOVE_TEXT = 60

interface ChangesCardProps {
  /** Null where nothing can be said in words. */
  readonly changes: { readonly count: number; readonly listed: ListedChanges } | null
}

/** The card of the changes between two documents, above their diff. */
export function ChangesCard({ changes }: ChangesCardProps) {
  return (
    <section class="card">
      <h2>Changes</h2>
      {changes === null || changes.count === 0 ? (
        <p class="muted">Nothing to summarise. The full diff is below.</p>
      ) : (
        <ChangesAboveText listed={changes.listed} />
      )}
    </section>
  )
}

/** Changes above the text that shows them all. */
export function ChangesAboveText({
  listed,
  linkOf = () => null,
}: Pick<ListedChangeGroupsProps, 'listed'> & Partial<Pick<ListedChangeGroupsProps, 'linkOf'>>) {
  const first = firstListed(listed, MAX_ABOVE_TEXT)
  return <ListedChangeGroups listed={first} linkOf={linkOf} more={restInText} />
}

function restInText(left: number): string {
  return `${moreOf(left)} in the diff below`
}

function ChangeGroup({ group, linkOf }: GroupProps) {
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

function CommonChanges({ group: { entities, unnamed, changes }, linkOf }: GroupProps) {
  const [one] = entities
  return (
    <>
      <details class="entity">
        <summary>
          In <b>{`${entities.length + unnamed} ${pluralOf(one?.kind ?? '')}`}</b>
        </summary>
        <p>
          <Separated
            items={entities}
            of={(entity) => (
              <EntityLink entity={{ ...entity, kind: 'pipeline' }} href={hrefOf(entity, linkOf)} />
            )}
          />
          {unnamed > 0 && ` and ${moreOf(unnamed)}`}
        </p>
      </details>
      <ChangeItems changes={changes} />
    </>
  )
}

/** An entity without a name has no history page. */
function hrefOf(entity: ChangedEntity, linkOf: ListedChangeGroupsProps['linkOf']): string | null {
  return hasHistory(entity.kind) ? linkOf(entity) : null
}

/** Changes without the name of their entity, where it is clear from the context. */
export function ChangeItems(props: { changes: readonly DocumentChange[]; href?: string | null }) {
  const { changes, href = null } = props
  return (
    <ul>
      {changes.map((change) => (
        <li>
          <span class={`badge ${badgeOf(change.kind)}`}>{change.kind}</span>{' '}
          <Sentence change={change} href={href} />
        </li>
      ))}
    </ul>
  )
}

function EntityLink({ entity, href }: { entity: ChangedEntity; href: string | null }) {
  const { kind, label } = entity
  const text = (
    <>
      {kind !== 'pipeline' && <span class="muted">{`${kind} `}</span>}
      <b>{label}</b>
    </>
  )
  return href === null ? <span>{text}</span> : <a href={href}>{text}</a>
}

interface SentenceProps {
  readonly change: DocumentChange
  readonly href: string | null
  /** Whether the size of what is added or removed is left out. */
  readonly isBrief?: boolean
}

function Sentence({ change, href, isBrief = false }: SentenceProps) {
  if (isAboutAll(change)) return <WholeEntity change={change} href={href} isBrief={isBrief} />
  const { kind, path, subject } = change
  return (
    <span>
      <Separated items={path} by=" › " of={(part) => <PathPart part={part} />} />
      {path.length > 0 && ': '}
      {kind === 'reformatted' ? `${subject} only` : subject}{' '}
      <Values change={change} isBrief={isBrief} />
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

function WholeEntity({ change, href, isBrief = false }: SentenceProps) {
  const { kind, subject, label } = change
  if (kind === 'renamed') return <Values change={change} isBrief={isBrief} />
  const word = subject.endsWith(` ${label}`) ? subject.slice(0, -label.length) : ''
  const name = word === '' ? subject : label
  return (
    <span>
      <span class="muted">{word}</span>
      {href === null ? <b>{name}</b> : <a href={href}>{name}</a>}
      <Values change={change} isBrief={isBrief} />
    </span>
  )
}

/**
 * The value before, struck through, and the one after; for added or removed entities, their value
 * or size. None for what changed in too many places to say.
 */
function Values({ change, isBrief }: { change: DocumentChange; isBrief: boolean }) {
  const { kind, from, to, lines } = change
  if (kind === 'added' || kind === 'removed') {
    const size = lines === undefined || isBrief ? null : `${lines} lines`
    const value = from ?? to ?? size
    return value === null ? <></> : <span class="muted">{` (${value})`}</span>
  }
  if (kind === 'reordered' || kind === 'reformatted') return <></>
  if (from === undefined && to === undefined) return <></>
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

function badgeOf(kind: DocumentChange['kind']): string {
  if (kind === 'reordered') return 'renamed'
  return kind === 'reformatted' ? '' : kind
}

/** Links to the history of the entity; one that the document gives no name has none. */
export function toEntityHistory(links: Links): ListedChangeGroupsProps['linkOf'] {
  return ({ kind, name }) => (name === '' && kind !== SERVER ? null : links.entity(kind, name))
}
