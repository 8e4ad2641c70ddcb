import { malformedRequest, ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import { type EntityPlace, entityText, findEntity } from '../../document/edit/entity-edits.ts'
import { ENTITY_KINDS, kindOfPrefix, splitEntity } from '../../document/entities/entities.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import type { History } from '../../history/history.ts'
import { type Access, assertMay } from '../access/permission.ts'
import type { ChangeSummary } from '../../document/changes/change-summary.ts'
import { findRevisionNamed } from '../read/named-revision.ts'
import { assertAdministers } from './entity-access.ts'

export interface EntityReadingDeps {
  readonly history: History
  readonly access: Access
  readonly summary: ChangeSummary
}

/** The text of an entity in a revision. */
export interface ReadEntity {
  readonly revision: Revision
  readonly text: Uint8Array<ArrayBuffer>
}

/**
 * An entity as a revision has it; of the current one when none is named.
 *
 * @throws {ServiceError} `entity-not-found`, `revision-not-found`, `malformed-request` for a kind that
 * there is not, `not-permitted`.
 */
export async function readEntity(
  deps: EntityReadingDeps,
  principal: Principal,
  { place, at }: { readonly place: EntityPlace; readonly at: string | null },
): Promise<ReadEntity> {
  assertKind(place.kind)
  const { access, history } = deps
  assertMay(access, principal, { action: 'administer-something' })
  const revision = at === null ? history.current() : await findRevisionNamed(history, at)
  const document = await readRevision(deps, revision)
  const entity = findEntity(document.root, place)
  const isCurrent = revision.commit === history.current().commit
  if (!isCurrent) await assertStillIts(deps, principal, place)
  if (entity !== null || isCurrent) assertAdministers(access, principal, entity)
  if (entity === null) throw entityMissing(place, at)
  return { revision, text: new Uint8Array(Buffer.from(entityText(document, entity))) }
}

/** An entity of the past is for those who administer what bears its name now. */
async function assertStillIts(
  deps: EntityReadingDeps,
  principal: Principal,
  place: EntityPlace,
): Promise<void> {
  const { root } = await readRevision(deps, deps.history.current())
  assertAdministers(deps.access, principal, findEntity(root, place))
}

/** @throws {ServiceError} `config-invalid` for a revision that is not readable XML. */
export async function readRevision(
  { history, summary }: EntityReadingDeps,
  revision: Revision,
): Promise<XmlDocument> {
  const document = await summary.read(await history.readDocument(revision))
  if ('root' in document) return document
  const message = document.problems[0]?.message ?? 'The configuration cannot be read'
  throw new ServiceError('config-invalid', message, { problems: document.problems })
}

/**
 * The place that a text such as `pipeline/shop` names.
 *
 * @throws {ServiceError} `malformed-request` for a kind that there is not.
 */
export function parseEntityPlace(text: string): EntityPlace {
  const place = splitEntity(text)
  assertKind(place.kind, 'entity')
  return place
}

/** @throws {ServiceError} `malformed-request` for a word that no kind begins with. */
export function assertKind(kind: string, parameter = 'kind'): void {
  if (kindOfPrefix(kind) !== null) return
  const known = [...new Set(ENTITY_KINDS.map(({ prefix }) => prefix))].join(', ')
  throw malformedRequest(`"${kind}" is not a kind of entity: ${known}`, parameter)
}

/** The error for an entity that a document does not have; `at` names its revision, null the current one. */
export function entityMissing(place: EntityPlace, at: string | null): ServiceError {
  const where = at === null ? 'The configuration' : `The configuration at ${at}`
  const message = `${where} has no ${place.kind} ${place.name}`.trimEnd()
  return new ServiceError('entity-not-found', message, { ...place })
}
