import type { z } from 'zod'

/** One error in some input, and its place. Lines and columns count from 1. */
export interface Problem {
  readonly message: string
  /** A readable path of the place, such as `pipeline "build" › stage "test"`, or a field name. */
  readonly path?: string
  readonly line?: number
  readonly column?: number
}

const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['undefined', 'left out'],
])
const UNITS: ReadonlyMap<string, string> = new Map([
  ['string', ' characters'],
  ['array', ' entries'],
])

/** Says in words what is wrong with a value, for schemas that have no words of their own for it. */
export const inWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys')
    return `${quoted(issue.keys, ' and ')} cannot be given here`
  if (issue.input === undefined) return 'it is missing'
  if (issue.code === 'invalid_type') {
    return `it must be ${EXPECTED.get(issue.expected) ?? issue.expected}`
  }
  if (issue.code === 'invalid_value') {
    return `it must be ${quoted(issue.values.map(String), ' or ')}`
  }
  if (issue.code === 'too_small') {
    return `it must be at least ${sizeOf(issue.minimum, issue.origin)}`
  }
  if (issue.code === 'too_big') {
    return `it must be at most ${sizeOf(issue.maximum, issue.origin)}`
  }
  return 'it has a form that is not taken here'
}

function quoted(texts: readonly string[], between: string): string {
  return texts.map((text) => `"${text}"`).join(between)
}

/** A number, or a length with its unit. */
function sizeOf(size: number | bigint, origin: string): string {
  return `${size}${UNITS.get(origin) ?? ''}`
}
