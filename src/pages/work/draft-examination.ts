import { summariseChanges } from '../../document/changes/summarise-changes.ts'
import { readDocument } from '../../document/document.ts'
import { readXml, type XmlDocument } from '../../document/xml/xml-reader.ts'
import type { Problem } from '../../core/problem.ts'
import { type EntityName, findScope } from './edit-scope.ts'

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

/** The XML of a document or of one entity of it, as somebody begins to edit it. */
export interface DocumentPart {
  readonly text: string
  /** The line of the document that the part begins with, from 1. */
  readonly firstLine: number
}

/** Why a document has no such part. */
export type NoPart =
  | { readonly kind: 'unreadable'; readonly problems: readonly Problem[] }
  | { readonly kind: 'absent' }

export interface PartRequest {
  readonly document: Uint8Array
  /** Null: all of the document. */
  readonly entity: EntityName | null
}

export interface DraftRequest {
  /** The document that the draft began from. */
  readonly base: Uint8Array
  readonly entity: EntityName | null
  readonly typed: string
}

/** A draft put back into the document that it began from, with what is to be said of it. */
export interface ExaminedDraft {
  readonly kind: 'examined'
  readonly document: Uint8Array<ArrayBuffer>
  readonly check: DraftCheck
}

export function partOf({ document, entity }: PartRequest): NoPart | (DocumentPart & Found) {
  const reading = readXml(document)
  if (!reading.ok) return { kind: 'unreadable', problems: reading.problems }
  const scope = findScope(reading, entity)
  if (scope === null) return { kind: 'absent' }
  return { kind: 'found', text: scope.text, firstLine: scope.firstLine }
}

interface Found {
  readonly kind: 'found'
}

export function examineDraft({ base, entity, typed }: DraftRequest): NoPart | ExaminedDraft {
  const reading = readXml(base)
  if (!reading.ok) return { kind: 'unreadable', problems: reading.problems }
  const scope = findScope(reading, entity)
  if (scope === null) return { kind: 'absent' }
  const document = new Uint8Array(Buffer.from(scope.compose(typed)))
  return { kind: 'examined', document, check: checkDraft(reading, document, { scope, typed }) }
}

function checkDraft(
  base: XmlDocument,
  document: Uint8Array,
  { scope, typed }: { readonly scope: DocumentPart; readonly typed: string },
): DraftCheck {
  const reading = readDocument(document)
  if (reading.ok) return { problems: [], changes: countChanges(base, reading.document) }
  const lines = typed.split('\n').length
  const problems = reading.problems.map((problem) => ({
    ...problem,
    typedLine: lineWithin(problem.line, scope.firstLine, lines),
  }))
  const xml = readXml(document)
  return { problems, changes: xml.ok ? countChanges(base, xml) : null }
}

function countChanges(before: XmlDocument, after: XmlDocument): number {
  return summariseChanges(before, after).length
}

function lineWithin(line: number | undefined, first: number, lines: number): number | null {
  if (line === undefined) return null
  const within = line - first + 1
  return within >= 1 && within <= lines ? within : null
}
