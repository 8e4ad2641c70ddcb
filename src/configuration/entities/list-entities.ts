import { type Digest, digestOf } from '../../core/digest.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import { entityText } from '../../document/edit/entity-edits.ts'
import { changeKindOf, type EntityChangeKind } from '../../document/changes/entities-of.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import {
  type EntityDefinition,
  type EntityElement,
  entitiesIn,
  ENTITY_KINDS,
  entityLabel,
  entityOf,
  kindOfPrefix,
} from '../../document/entities/entities.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import { type CooperativeWork, runCooperatively } from '../../lib/cooperative.ts'
import { assertMay } from '../access/permission.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import { administers } from './entity-access.ts'
import { assertKind, type EntityReadingDeps, readRevision } from './read-entity.ts'

export interface EntityListingDeps extends EntityReadingDeps {
  readonly entities: EntityIndex
}

/** An entity of the current configuration, in a list. */
export interface ListedEntity {
  readonly kind: string
  readonly name: string
  /** The name for people. */
  readonly label: string
  /** The group of a pipeline. */
  readonly group?: string
  /** The digest of its text, for `If-Match`. */
  readonly digest: Digest
}

/** How an entity came out of a revision; one that was renamed has changed. */
type ListedChange = Exclude<EntityChangeKind, 'renamed'>

/** An entity that revisions changed, with the newest of those that did so in that way. */
export interface EntityOfRevision extends Omit<ListedEntity, 'group' | 'digest'> {
  readonly changed: ListedChange
  readonly revision: Revision
}

/** The changes that are listed: those of one kind, from one time to another. */
export interface ChangedQuery {
  readonly changed: ListedChange
  /** Milliseconds since the UNIX epoch; null without a bound. */
  readonly since: number | null
  readonly until: number | null
}

/**
 * The entities of one kind, or of all, that the caller administers, in the order of the document.
 *
 * @throws {ServiceError} `malformed-request` for a kind that there is not, `not-permitted`.
 */
export async function listEntities(
  deps: EntityListingDeps,
  principal: Principal,
  kind: string | null,
): Promise<readonly ListedEntity[]> {
  if (kind !== null) assertKind(kind)
  assertMay(deps.access, principal, { action: 'administer-something' })
  const document = await readRevision(deps, deps.history.current())
  const kinds = ENTITY_KINDS.filter((each) => each === kindOfPrefix(kind ?? each.prefix))
  const isOwn = (entity: EntityElement) => administers(deps.access, principal, entity)
  return runCooperatively(listIn(document, { kinds, isOwn }))
}

/**
 * The entities of one kind, or of all, that revisions created, changed or removed, the newest first.
 *
 * @throws {ServiceError} `malformed-request`, `not-permitted`; `unavailable` while the changes are not
 * indexed.
 */
export async function listChanged(
  deps: EntityListingDeps,
  principal: Principal,
  { kind, ...query }: ChangedQuery & { readonly kind: string | null },
): Promise<readonly EntityOfRevision[]> {
  if (kind !== null) assertKind(kind)
  assertMay(deps.access, principal, { action: 'administer' })
  await Promise.all([deps.entities.settle(), deps.history.columns.load()])
  const found = await runCooperatively(changedIn(deps, query))
  return found.filter((each) => kind === null || each.kind === kind)
}

function* listIn(
  document: XmlDocument,
  {
    kinds,
    isOwn,
  }: {
    readonly kinds: readonly EntityDefinition[]
    readonly isOwn: (entity: EntityElement) => boolean
  },
): CooperativeWork<readonly ListedEntity[]> {
  const list: ListedEntity[] = []
  for (const kind of kinds) {
    for (const entity of entitiesIn(document.root, kind)) {
      if (isOwn(entity)) list.push(listed(document, entity))
      yield
    }
  }
  return list
}

function listed(document: XmlDocument, entity: EntityElement): ListedEntity {
  const { kind, name, element } = entity
  const holder = kind.word === 'pipeline' && element.parent ? entityOf(element.parent) : null
  return {
    kind: kind.prefix,
    name,
    label: entityLabel(entity),
    ...(holder === null ? {} : { group: holder.name }),
    digest: digestOf(Buffer.from(entityText(document, entity))),
  }
}

/** Each entity once, by the newest revision that changed it in the wanted way. */
function* changedIn(
  { history, entities }: EntityListingDeps,
  { changed, since, until }: ChangedQuery,
): CooperativeWork<readonly EntityOfRevision[]> {
  const found = new Map<string, EntityOfRevision>()
  for (const place of history.columns.newest({ isBy: () => true, since, until })) {
    const revision = history.atPlace(place)
    if (revision === null) continue
    for (const change of entities.find(revision) ?? []) {
      const { entity, label } = change
      const [kind = '', ...name] = entity.split('/')
      if (listedChange(change) !== changed || kindOfPrefix(kind) === null) continue
      const entry = { kind, name: name.join('/'), label, changed, revision }
      if (!found.has(entity)) found.set(entity, entry)
    }
    yield
  }
  return [...found.values()]
}

function listedChange(change: DocumentChange): ListedChange {
  const how = changeKindOf(change)
  return how === 'renamed' ? 'changed' : how
}
