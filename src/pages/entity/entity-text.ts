import { entitySpan, stageSpan } from '../../document/highlight/entity-span.ts'
import type { Span } from '../../document/xml/xml-tree.ts'
import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import { decodeUtf8 } from '../../lib/decode-utf8.ts'

/** The XML of one entity in a document, and the line at which it starts, from 1. */
export interface EntityText {
  readonly text: string
  readonly line: number
}

/** Reads the XML of an entity, or of a stage of it, in a revision; null where it does not exist. */
export async function readEntityText(
  history: History,
  revision: Revision,
  { entity, stage }: { readonly entity: string; readonly stage: string | null },
): Promise<EntityText | null> {
  const document = decodeUtf8(await history.readDocument(revision))
  const whole = cut(document, await runCooperatively(entitySpan(document, entity)))
  if (whole === null || stage === null) return whole
  const part = cut(whole.text, stageSpan(whole.text, stage))
  return part && { text: part.text, line: whole.line + part.line - 1 }
}

/**
 * Starts at the beginning of the line if only white space precedes, which keeps the indentation.
 */
function cut(text: string, span: Span | null): EntityText | null {
  if (span === null) return null
  const lineStart = text.lastIndexOf('\n', span.start - 1) + 1
  const isFirst = text.slice(lineStart, span.start).trim() === ''
  const start = isFirst ? lineStart : span.start
  return { text: `${text.slice(start, span.end)}\n`, line: lineOf(text, span.start) }
}

function lineOf(text: string, place: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) {
    line += 1
  }
  return line
}
