import type { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { ConfigSavingDeps } from '../../configuration/save/config-saving.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import type { PageThread } from '../work/page-thread.ts'
import type { DocumentPart, DraftCheck, NoPart } from '../work/draft-examination.ts'
import type { EntityName } from '../work/edit-scope.ts'

export interface EditingDeps extends ConfigSavingDeps {
  /** Runs expensive work on large documents without blocking the main thread. */
  readonly work: PageThread
}

/** The typed text, as a form sends it. */
export interface EditDraft {
  readonly typed: string
  readonly basedOn: Digest
  /** The entity whose XML is edited, or null for the whole document. */
  readonly entity: EntityName | null
}

/** A draft inserted into the document that it is based on. */
export interface OpenDraft {
  readonly base: Revision
  readonly baseBytes: Uint8Array<ArrayBuffer>
  readonly document: Uint8Array<ArrayBuffer>
  readonly check: DraftCheck
}

/** The XML that an edit starts with: that of a revision. */
export interface EditStart {
  readonly base: Revision
  readonly text: string
}

/**
 * The text that an edit of the current configuration starts with. With `from`, it is the text of
 * the entity or the document in that revision, for restoring it.
 *
 * @throws {ServiceError} `entity-not-found`, `not-permitted`.
 */
export async function beginEdit(
  deps: EditingDeps,
  principal: Principal,
  { entity, from }: { entity: EntityName | null; from: Revision | null },
): Promise<EditStart> {
  assertMay(deps.access, principal, { action: 'administer' })
  const base = deps.history.current()
  const part = await readPart(deps, base, entity)
  const older = from === null ? part : await readPart(deps, from, entity)
  return { base, text: older.text }
}

/**
 * Inserts a draft into the document that it is based on, and finds its problems.
 *
 * @throws {ServiceError} `config-stale` when that was never in the history; `entity-not-found`,
 * `not-permitted`.
 */
export async function openDraft(
  deps: EditingDeps,
  principal: Principal,
  { typed, basedOn, entity }: EditDraft,
): Promise<OpenDraft> {
  assertMay(deps.access, principal, { action: 'administer' })
  const base = await deps.history.findEver(basedOn)
  if (!base) throw notInHistory(deps.history.current().digest)
  const baseBytes = await deps.history.readDocument(base)
  const examined = await deps.work.examineDraft({ base: baseBytes, entity, typed })
  if (examined.kind !== 'examined') throw noPart(examined, entity)
  const { document, check } = examined
  return { base, baseBytes, document, check }
}

/** The line of the document at which the text of a draft starts. */
export async function firstLineOf(
  deps: EditingDeps,
  base: Revision,
  entity: EntityName | null,
): Promise<number> {
  if (entity === null) return 1
  const part = await deps.work.partOf({ document: await deps.history.readDocument(base), entity })
  return part.kind === 'found' ? part.firstLine : 1
}

async function readPart(
  deps: EditingDeps,
  revision: Revision,
  entity: EntityName | null,
): Promise<DocumentPart> {
  const document = await deps.history.readDocument(revision)
  const part = await deps.work.partOf({ document, entity })
  if (part.kind !== 'found') throw noPart(part, entity)
  return part
}

/** `config-invalid` for an unreadable document, `entity-not-found` for one without the entity. */
function noPart(reason: NoPart, entity: EntityName | null): ServiceError {
  if (reason.kind === 'absent' && entity !== null) {
    const message = `The configuration has no ${entity.kind} ${entity.name}`
    return new ServiceError('entity-not-found', message, entity)
  }
  const problems = reason.kind === 'unreadable' ? reason.problems : []
  const message = problems[0]?.message ?? 'The configuration cannot be read'
  return new ServiceError('config-invalid', message, { problems })
}

function notInHistory(current: Digest): ServiceError {
  const message = 'The edit began from a configuration that was never in the history'
  return new ServiceError('config-stale', message, { current, problems: [] })
}
