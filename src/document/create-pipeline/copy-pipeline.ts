import { ServiceError } from '../../core/errors.ts'
import type { EditableDocument } from '../edit/layout.ts'
import { escapeAttribute } from '../edit/xml-escape.ts'
import { findNamedEntity } from '../entities/entities.ts'

export interface CopyRequest {
  readonly from: string
  readonly to: string
}

/** A document with the copy of a pipeline. */
export interface CopiedPipeline {
  readonly text: string
  /** Where the copy starts in it. */
  readonly start: number
}

/**
 * Puts a copy of a pipeline, under another name, on the lines behind it.
 *
 * @throws {ServiceError} `pipeline-not-found`.
 */
export function copyPipeline(
  { text, root }: EditableDocument,
  { from, to }: CopyRequest,
): CopiedPipeline {
  const element = findNamedEntity(root, `pipeline/${from}`)?.element
  const name = element?.attributes.get('name')
  if (!element || !name) {
    const message = `There is no pipeline ${from}`
    throw new ServiceError('pipeline-not-found', message, { pipeline: from })
  }
  const { start, end } = element.span
  const quote = text.charAt(name.valueSpan.start - 1)
  const copy = [
    text.slice(start, name.valueSpan.start),
    escapeAttribute(to, quote),
    text.slice(name.valueSpan.end, end),
  ].join('')
  const space = /\s*$/.exec(text.slice(0, start))?.[0] ?? ''
  const between = /(?:\r\n|\r|\n)[ \t]*$/.exec(space)?.[0] ?? ''
  return {
    text: text.slice(0, end) + between + copy + text.slice(end),
    start: end + between.length,
  }
}
