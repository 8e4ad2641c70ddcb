import type { z } from 'zod'
import { Digest } from '../core/digest.ts'
import { ServiceError } from '../core/errors.ts'
import { inWords } from '../core/problem.ts'
import { CommitSha } from '../core/revision.ts'
import { firstMomentOf } from '../lib/moments.ts'

/** A digest from the path, the field or the header of that name; upper case is taken as lower. */
export function parseDigest(text: string, name: string): Digest {
  const message = `"${text}" is not a digest: 32 hexadecimal characters`
  return parse(Digest, text.toLowerCase(), { message, path: name })
}

export function parseSha(text: string, name: string): CommitSha {
  const message = `"${text}" is not a commit: 40 or 64 hexadecimal characters`
  return parse(CommitSha, text.toLowerCase(), { message, path: name })
}

export function parseWholeNumber(text: string, name: string): number {
  const number = Number(text)
  if (/^\d{1,15}$/.test(text) && Number.isSafeInteger(number)) return number
  throw malformed(`${name} "${text}" is not a whole number of at least 0`, name)
}

export function parseWord<Word extends string>(
  text: string,
  name: string,
  words: readonly Word[],
): Word {
  const word = words.find((each) => each === text)
  if (word !== undefined) return word
  throw malformed(`${name} is "${text}"; it may be ${words.join(', ')}`, name)
}

/** A time as ISO 8601 writes it, in milliseconds since the UNIX epoch; in UTC without a zone. */
export function parseIsoTime(text: string, name: string): number {
  const time = firstMomentOf(text)
  if (time === null) throw malformed(`"${text}" is not a time`, name)
  return time
}

/** A day or a time, as milliseconds since the UNIX epoch by one of its ends. */
export function parseMoment(
  text: string,
  name: string,
  momentOf: (text: string) => number | null,
): number {
  const moment = momentOf(text)
  if (moment !== null) return moment
  throw malformed(
    `"${text}" is not a valid date such as 2015-06-05 or time such as 2015-06-05T14:00`,
    name,
  )
}

/** The times at which a day begins and ends. */
const ENDS_OF_DAY = { start: 'T00:00:00.000Z', end: 'T23:59:59.999Z' }
const DAY = /^\d{4}-\d\d-\d\d$/
const ZONED = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/

/**
 * One end of a day in UTC, or a time with its zone, which a browser makes of that end of the day on
 * its own clock; null for another text.
 */
export function endOfDay(text: string, end: keyof typeof ENDS_OF_DAY): number | null {
  if (DAY.test(text)) return firstMomentOf(`${text}${ENDS_OF_DAY[end]}`)
  return ZONED.test(text) ? firstMomentOf(text) : null
}

/** The same of a field, which has to be one. */
export function parseEndOfDay(text: string, name: string, end: keyof typeof ENDS_OF_DAY): number {
  const time = endOfDay(text, end)
  if (time !== null) return time
  throw malformed(
    `${name} "${text}" is not a valid date such as 2015-06-05 or time such as 2015-06-05T14:03Z`,
    name,
  )
}

/** The day whose start or end in UTC a moment is, as {@link parseEndOfDay} reads it; the moment itself for others. */
export function endOfDayText(moment: number, end: keyof typeof ENDS_OF_DAY): string {
  const text = new Date(moment).toISOString()
  return text.endsWith(ENDS_OF_DAY[end]) ? text.slice(0, -ENDS_OF_DAY[end].length) : text
}

/** The longest text that is searched in the history, in characters. */
const MAX_TEXT_LENGTH = 1_000

/** A text to search for in the history; its white space counts. */
export function parseSearchedText(text: string, name: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text
  throw malformed(`The text is longer than ${MAX_TEXT_LENGTH} characters`, name)
}

export function malformed(message: string, path: string): ServiceError {
  return new ServiceError('malformed-request', message, { problems: [{ message, path }] })
}

/**
 * A value as its schema has it.
 *
 * @throws {ServiceError} `malformed-request` with the fields that are not as they must be.
 */
export function wellFormed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const read = schema.safeParse(value, { error: inWords })
  if (read.success) return read.data
  const problems = read.error.issues.map(({ message, path }) => ({
    message,
    ...(path.length > 0 ? { path: path.join('.') } : {}),
  }))
  const [first] = problems
  const message = [first?.path, first?.message].filter((text) => text !== undefined).join(': ')
  throw new ServiceError('malformed-request', message, { problems })
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  refusal: { message: string; path: string },
): z.output<Schema> {
  const read = schema.safeParse(text)
  if (read.success) return read.data
  throw malformed(refusal.message, refusal.path)
}
