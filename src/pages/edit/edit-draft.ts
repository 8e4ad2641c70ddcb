import type { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { ConfigSavingDeps } from '../../configuration/save/config-saving.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { assertAdministers } from '../../configuration/entities/entity-access.ts'
import { type EntityReadingDeps, readRevision } from '../../configuration/entities/read-entity.ts'
import type { Gate } from '../../configuration/gate/gate.ts'
import { assertAlone, findEntity } from '../../document/edit/entity-edits.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import { runSync } from '../../lib/cooperative.ts'
import type { PageThread } from '../work/page-thread.ts'
import type { DocumentPart, DraftCheck, DraftProblem, NoPart } from '../work/draft-examination.ts'
import type { EntityName } from '../work/edit-scope.ts'

export interface EditingDeps extends ConfigSavingDeps, EntityReadingDeps {
  readonly gate: Gate
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
  const base = deps.history.current()
  await assertMayEdit(deps, principal, { entity, revisions: from === null ? [] : [from] })
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
  const action = entity === null ? 'administer' : 'administer-something'
  assertMay(deps.access, principal, { action })
  const base = await deps.history.findEver(basedOn)
  if (!base) throw notInHistory(deps.history.current())
  await assertMayEdit(deps, principal, { entity, revisions: [base] })
  const baseBytes = await deps.history.readDocument(base)
  if (!deps.access.may(principal, { action: 'administer' }) && entity !== null) {
    const problems = problemsAlone(typed, entity)
    if (problems.length > 0) {
      return { base, baseBytes, document: baseBytes, check: { problems, changes: null } }
    }
  }
  const examined = await deps.work.examineDraft({ base: baseBytes, entity, typed })
  if (examined.kind !== 'examined') throw noPart(examined, entity)
  const { document, check } = examined
  const problems = await problemsFor(deps, principal, { document, problems: check.problems })
  return { base, baseBytes, document, check: { ...check, problems } }
}

/** The problems that a caller may hear of, with their lines in the typed text. */
export async function problemsFor(
  { gate, history }: EditingDeps,
  principal: Principal,
  {
    document,
    problems,
  }: {
    readonly document: Uint8Array<ArrayBuffer>
    readonly problems: readonly DraftProblem[]
  },
): Promise<readonly DraftProblem[]> {
  if (problems.length === 0) return problems
  const before = await history.readDocument(history.current())
  const told = await gate.problemsFor(problems, { before, after: document }, principal)
  return told.map((problem) => ({ typedLine: null, ...problem }))
}

/**
 * Asserts that a caller may edit an entity: whoever administers it now and in the revisions that the edit
 * is about. The whole document is for administrators of the server.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function assertMayEdit(
  deps: EditingDeps,
  principal: Principal,
  { entity, revisions }: { entity: EntityName | null; revisions: readonly Revision[] },
): Promise<void> {
  const { access, history } = deps
  if (entity === null || access.may(principal, { action: 'administer' })) {
    return assertMay(access, principal, { action: 'administer' })
  }
  assertMay(access, principal, { action: 'administer-something' })
  for (const revision of [history.current(), ...revisions]) {
    const { root } = await readRevision(deps, revision)
    assertAdministers(access, principal, findEntity(root, entity))
  }
}

/** The problems of a text that is no element by itself: in the document it could take others' parts into its own. */
function problemsAlone(typed: string, entity: EntityName): readonly DraftProblem[] {
  const reading = runSync(readXml(Buffer.from(typed)))
  if (!reading.ok) {
    return reading.problems.map((problem) => ({ ...problem, typedLine: problem.line ?? null }))
  }
  assertAlone(reading, entity)
  return []
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

/** The error for an edit of a document that was never in the history. */
export function notInHistory({ digest: current }: Revision): ServiceError {
  const message = 'The edit is based on a configuration that is not in the history'
  return new ServiceError('config-stale', message, { current, problems: [] })
}
