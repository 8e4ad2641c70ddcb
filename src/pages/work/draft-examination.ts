import { summariseChanges } from '../../document/changes/summarise-changes.ts'
import { readDocument } from '../../document/document.ts'
import { readXml, type XmlDocument } from '../../document/xml/xml-reader.ts'
import type { Problem } from '../../core/problem.ts'
import { type EntityName, findScope } from './edit-scope.ts'
import { runSync } from '../../lib/cooperative.ts'

/** A problem, and its line in the typed text; null when it is in another part of the document. */
export interface DraftProblem extends Problem {
  readonly typedLine: number | null
}

/** The result of checking a draft while it is typed. */
export interface DraftCheck {
  readonly problems: readonly DraftProblem[]
  /** The number of changes; null while the text is unreadable. */
  readonly changes: number | null
}

/** The XML of a document or of one of its entities, at the start of an edit. */
export interface DocumentPart {
  readonly text: string
  /** The line of the document at which the part starts, from 1. */
  readonly firstLine: number
}

/** Why a document has no such part. */
export type NoPart =
  | { readonly kind: 'unreadable'; readonly problems: readonly Problem[] }
  | { readonly kind: 'absent' }

export interface PartRequest {
  readonly document: Uint8Array
  /** Null for the whole document. */
  readonly entity: EntityName | null
}

export interface DraftRequest {
  /** The document that the draft is based on. */
  readonly base: Uint8Array
  readonly entity: EntityName | null
  readonly typed: string
}

/** A draft inserted into the document that it is based on, with the findings about it. */
export interface ExaminedDraft {
  readonly kind: 'examined'
  readonly document: Uint8Array<ArrayBuffer>
  readonly check: DraftCheck
}

export function partOf({ document, entity }: PartRequest): NoPart | (DocumentPart & Found) {
  const reading = runSync(readXml(document))
  if (!reading.ok) return { kind: 'unreadable', problems: reading.problems }
  const scope = findScope(reading, entity)
  if (scope === null) return { kind: 'absent' }
  return { kind: 'found', text: scope.text, firstLine: scope.firstLine }
}

interface Found {
  readonly kind: 'found'
}

export function examineDraft({ base, entity, typed }: DraftRequest): NoPart | ExaminedDraft {
  const reading = runSync(readXml(base))
  if (!reading.ok) return { kind: 'unreadable', problems: reading.problems }
  const scope = findScope(reading, entity)
  if (scope === null) return { kind: 'absent' }
  const document = new Uint8Array(Buffer.from(scope.compose(typed)))
  return { kind: 'examined', document, check: checkDraft(reading, document, { scope, typed }) }
}

function checkDraft(
  base: XmlDocument,
  document: Uint8Array<ArrayBuffer>,
  { scope, typed }: { readonly scope: DocumentPart; readonly typed: string },
): DraftCheck {
  const reading = readDocument(document)
  if (reading.ok) return { problems: [], changes: countChanges(base, reading.document) }
  const lines = typed.split('\n').length
  const problems = reading.problems.map((problem) => ({
    ...problem,
    typedLine: lineWithin(problem.line, scope.firstLine, lines),
  }))
  const xml = runSync(readXml(document))
  return { problems, changes: xml.ok ? countChanges(base, xml) : null }
}

function countChanges(before: XmlDocument, after: XmlDocument): number {
  return runSync(summariseChanges(before, after)).length
}

/** The line of a part that starts at a line of its document; null for a line outside of it. */
export function lineWithin(line: number | undefined, first: number, lines: number): number | null {
  if (line === undefined) return null
  const within = line - first + 1
  return within >= 1 && within <= lines ? within : null
}
