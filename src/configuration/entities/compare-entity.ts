import type { Principal } from '../../core/principal.ts'
import type { EntityRenames } from '../../document/compare/compare-entities.ts'
import { changesIn, entityScope } from '../../document/changes/entity-scope.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import { renderSubject } from '../../document/changes/render-subject.ts'
import { type EntityPlace, entityText, findEntity } from '../../document/edit/entity-edits.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import {
  type EntityElement,
  entityName,
  foldEntity,
  splitEntity,
} from '../../document/entities/entities.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import { assertMay } from '../access/permission.ts'
import {
  type ConfigChangesDeps,
  type DescribedChanges,
  readChanges,
} from '../changes/config-changes.ts'
import { type OwnParts, withoutOthers } from '../gate/own-parts.ts'
import type { ConfigReadingDeps, RevisionPair } from '../read/config-reading.ts'
import { findRevisionNamed } from '../read/named-revision.ts'
import { assertAdministers } from './entity-access.ts'
import { assertKind, entityMissing, readRevision } from './read-entity.ts'

export type EntityDiffDeps = ConfigChangesDeps & ConfigReadingDeps

/** Two revisions by name, and the entity that is compared. */
export interface EntityDiffRequest {
  readonly from: string
  readonly to: string
  readonly place: EntityPlace
}

/** An entity in two revisions; null where one does not have it. */
interface ComparedEntity {
  readonly pair: RevisionPair
  readonly documents: readonly [before: XmlDocument, after: XmlDocument]
  readonly entities: readonly [before: EntityElement | null, after: EntityElement | null]
}

/**
 * The unified diff of one entity between two revisions; of a group with its pipelines.
 *
 * @throws {ServiceError} `entity-not-found` where neither has it, `revision-not-found`,
 * `malformed-request`, `not-permitted`.
 */
export async function diffEntity(
  deps: EntityDiffDeps,
  principal: Principal,
  comparison: EntityDiffRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const { documents, entities } = await findComparedEntity(deps, principal, comparison)
  const [before, after] = documents.map((document, n) => {
    const entity = entities[n] ?? null
    return Buffer.from(entity === null ? '' : `${entityText(document, entity)}\n`)
  })
  return deps.diff(before ?? Buffer.alloc(0), after ?? Buffer.alloc(0))
}

/**
 * The changes of one entity between two revisions, in words; of a group with its pipelines.
 *
 * @throws {ServiceError} as {@link diffEntity}.
 */
export async function readEntityChanges(
  deps: EntityDiffDeps,
  principal: Principal,
  comparison: EntityDiffRequest,
): Promise<DescribedChanges> {
  const { pair, documents, entities } = await findComparedEntity(deps, principal, comparison)
  const names = entities.flatMap((entity) => (entity === null ? [] : [entityName(entity)]))
  const texts = documents.map(({ text }) => text)
  const renames = deps.entities.renamesBetween(pair.before, pair.after)
  const changes = deps.access.may(principal, { action: 'administer' })
    ? (await readChanges(deps, pair)).changes
    : await changesOfOwn(deps, principal, { documents, renames })
  const own = changesIn(changes, entityScope(names, texts, renames))
  return {
    subject: renderSubject(own),
    changes: own.map((change) => ({ ...change, text: renderChange(change) })),
  }
}

/** The changes within what a caller administers: what left it was removed, and what came is new. */
async function changesOfOwn(
  { access, summary }: EntityDiffDeps,
  principal: Principal,
  { documents, renames }: Pick<ComparedEntity, 'documents'> & { readonly renames: EntityRenames },
): Promise<readonly DocumentChange[]> {
  const parts: OwnParts = {
    hasGroup: (group) => access.may(principal, { action: 'administer-group', group }),
    hasTemplate: (template) => access.may(principal, { action: 'administer-template', template }),
  }
  const [before, after] = documents
  const viewOf = (document: XmlDocument) => Buffer.from(withoutOthers(document, parts))
  return summary.changes(viewOf(before), viewOf(after), renames)
}

/** The entity in both revisions, for those who administer it there and as it is now. */
export async function findComparedEntity(
  deps: EntityDiffDeps,
  principal: Principal,
  { from, to, place }: EntityDiffRequest,
): Promise<ComparedEntity> {
  assertKind(place.kind)
  const { access, history } = deps
  assertMay(access, principal, { action: 'administer-something' })
  const pair = {
    before: await findRevisionNamed(history, from),
    after: await findRevisionNamed(history, to),
  }
  const documents = [
    await readRevision(deps, pair.before),
    await readRevision(deps, pair.after),
  ] as const
  const after = findEntity(documents[1].root, place)
  const former = after === null ? place : await formerPlace(deps, pair, after)
  const before = findEntity(documents[0].root, former)
  const now = findEntity((await readRevision(deps, history.current())).root, place)
  assertAdministers(access, principal, now)
  for (const entity of [before, after]) {
    if (entity !== null) assertAdministers(access, principal, entity)
  }
  if (before === null && after === null) throw entityMissing(place, `${from} and ${to}`)
  return { pair, documents, entities: [before, after] }
}

/** The place of an entity in the older revision, under the name that it had there. */
async function formerPlace(
  { entities }: EntityDiffDeps,
  { before, after }: RevisionPair,
  entity: EntityElement,
): Promise<EntityPlace> {
  await entities.settle()
  const name = foldEntity(entityName(entity))
  const renamed = entities.renamesBetween(before, after).find(([, later]) => later === name)
  const [former] = renamed ?? [entityName(entity)]
  return splitEntity(former)
}
