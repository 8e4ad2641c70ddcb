import { summariseChanges } from '../../../config/changes/summarise-changes.ts'
import { readDocument } from '../../../config/document.ts'
import { findEntity } from '../../../config/find-entity.ts'
import { readXml, type XmlDocument } from '../../../config/xml-reader.ts'
import type { Digest } from '../../../core/digest.ts'
import { ServiceError } from '../../../core/errors.ts'
import type { Principal } from '../../../core/principal.ts'
import type { Problem } from '../../../core/problem.ts'
import type { Revision } from '../../../core/revision.ts'
import type { History } from '../../../history/history.ts'
import type { DocumentCache } from '../../document-cache.ts'
import { type Access, assertMay } from '../../permission.ts'
import { type EditScope, type EntityName, scopeOf } from './edit-scope.ts'

export interface EditingDeps {
  readonly history: History
  readonly access: Access
  readonly cache: DocumentCache
}

/** What somebody has typed, as a form sends it. */
export interface EditDraft {
  readonly typed: string
  readonly basedOn: Digest
  /** The entity whose XML it is, or null for the whole document. */
  readonly entity: EntityName | null
}

/** A draft put back into the document that it began from. */
export interface OpenDraft {
  readonly base: Revision
  readonly baseDocument: XmlDocument
  readonly baseBytes: Uint8Array<ArrayBuffer>
  readonly scope: EditScope
  readonly document: Uint8Array<ArrayBuffer>
}

/** A problem, and its line in the text that was typed; null when it stands elsewhere. */
export interface DraftProblem extends Problem {
  readonly typedLine: number | null
}

/** What is known about a draft while it is typed. */
export interface DraftCheck {
  readonly problems: readonly DraftProblem[]
  /** How many things are different; null while the text cannot be read. */
  readonly changes: number | null
}

/** The XML that somebody begins to edit: that of a revision. */
export interface EditStart {
  readonly base: Revision
  readonly text: string
}

/**
 * The text that an edit of the current configuration begins with. With `from`, it is what the
 * entity or the document was in that revision, to be put back.
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
  const scope = scopeOf(await readRevision(deps, base), entity)
  const older = from === null ? scope : scopeOf(await readRevision(deps, from), entity)
  return { base, text: older.text }
}

/**
 * Puts a draft back into the document that it began from.
 *
 * @throws {ServiceError} `config-stale` when that was never current; `entity-not-found`, `not-permitted`.
 */
export async function openDraft(
  deps: EditingDeps,
  principal: Principal,
  { typed, basedOn, entity }: EditDraft,
): Promise<OpenDraft> {
  assertMay(deps.access, principal, { action: 'administer' })
  const base = deps.history.find(basedOn)
  if (!base) throw neverCurrent(deps.history.current().digest)
  const baseBytes = await deps.history.readDocument(base)
  const baseDocument = readWell(baseBytes)
  const scope = scopeOf(baseDocument, entity)
  const document = Buffer.from(scope.compose(typed))
  return { base, baseDocument, baseBytes, scope, document }
}

/** What is wrong with a draft, and how much of it is new. */
export function checkDraft(
  { document, baseDocument, scope }: OpenDraft,
  typed: string,
): DraftCheck {
  const reading = readDocument(document)
  if (reading.ok) {
    return { problems: [], changes: countChanges(baseDocument, reading.document) }
  }
  const lines = typed.split('\n').length
  const problems = reading.problems.map((problem) => ({
    ...problem,
    typedLine: lineWithin(problem.line, scope.firstLine, lines),
  }))
  const xml = readXml(document)
  return { problems, changes: xml.ok ? countChanges(baseDocument, xml) : null }
}

/** The line that the text of a draft begins with in its document. */
export async function firstLineOf(
  deps: Pick<EditingDeps, 'history'>,
  base: Revision,
  entity: EntityName | null,
): Promise<number> {
  if (entity === null) return 1
  const document = await readRevision(deps, base)
  const element = findEntity(document.root, entity)
  return element ? document.lines.positionOf(element.span.start).line : 1
}

/** The document of a revision in its read form. */
export async function readRevision(
  { history }: Pick<EditingDeps, 'history'>,
  revision: Revision,
): Promise<XmlDocument> {
  return readWell(await history.readDocument(revision))
}

function countChanges(before: XmlDocument, after: XmlDocument): number {
  return summariseChanges(before, after).length
}

function lineWithin(line: number | undefined, first: number, lines: number): number | null {
  if (line === undefined) return null
  const within = line - first + 1
  return within >= 1 && within <= lines ? within : null
}

/** @throws {ServiceError} `config-invalid` for a document that cannot be read. */
function readWell(bytes: Uint8Array): XmlDocument {
  const reading = readXml(bytes)
  if (reading.ok) return reading
  const { problems } = reading
  const message = problems[0]?.message ?? 'The configuration cannot be read'
  throw new ServiceError('config-invalid', message, { problems })
}

function neverCurrent(current: Digest): ServiceError {
  const message = 'The edit began from a configuration that was never current'
  return new ServiceError('config-stale', message, { current, problems: [] })
}
