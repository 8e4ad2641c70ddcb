import { digestOf } from '../core/digest.ts'
import { malformed } from '../http/parameters.ts'

/** The limit of one answer in bytes, with its cursor. */
const MAX_ANSWER_BYTES = 20_000
/** The part of it that the line about the next cursor takes. */
const CURSOR_BYTES = 200

/** One page of an answer; a null cursor on the last one. */
interface AnswerPage {
  readonly text: string
  readonly cursor: string | null
}

/**
 * The part of an answer from a cursor on: whole lines as far as the limit allows. A cursor is bound
 * to the answer that it came with.
 *
 * @throws {ServiceError} `malformed-request` for a cursor of another answer.
 */
export function pageOfAnswer(whole: string, cursor: string | undefined): AnswerPage {
  const mark = digestOf(Buffer.from(whole)).slice(0, 8)
  const start = cursor === undefined ? 0 : placeOf(cursor, mark)
  const end = endOfPage(whole, start)
  if (end >= whole.length) return { text: whole.slice(start), cursor: null }
  return { text: whole.slice(start, end), cursor: `${mark}-${end}` }
}

function placeOf(cursor: string, mark: string): number {
  const [, of, place] = /^([0-9a-f]{8})-(\d{1,12})$/.exec(cursor) ?? []
  if (of === mark) return Number(place)
  throw malformed(
    'The cursor is of another answer, or this one has changed: ask again without it',
    'cursor',
  )
}

/** After the last line that fits; inside of a line that is longer than a page. */
function endOfPage(text: string, start: number): number {
  const room = MAX_ANSWER_BYTES - CURSOR_BYTES
  let end = Math.min(text.length, start + room)
  while (Buffer.byteLength(text.slice(start, end)) > room) {
    end = start + Math.floor(((end - start) * room) / Buffer.byteLength(text.slice(start, end)))
  }
  if (end === text.length) return end
  const line = text.lastIndexOf('\n', end - 1) + 1
  return line > start ? line : end
}

/** A body of an answer as lines: an entry of a list is one line, so that pages end between them. */
export function linesOfBody(body: unknown): string {
  if (Array.isArray(body)) return linesOfList(body, '')
  if (typeof body !== 'object' || body === null) return `${JSON.stringify(body)}\n`
  return Object.entries(body)
    .map(([name, value]) =>
      Array.isArray(value) && value.length > 0
        ? `${name}:\n${linesOfList(value, '  ')}`
        : `${name}: ${JSON.stringify(value)}\n`,
    )
    .join('')
}

function linesOfList(list: readonly unknown[], indent: string): string {
  if (list.length === 0) return 'none\n'
  return list.map((entry) => `${indent}${JSON.stringify(entry)}\n`).join('')
}
