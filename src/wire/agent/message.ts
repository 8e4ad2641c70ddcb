import type { z } from 'zod'
import { parseJsonOr } from '../../lib/parse-json.ts'
import { ServiceError } from '../../core/errors.ts'
import { inWords, type Problem } from '../../core/problem.ts'

/** The protocol's messages are not nested deeper; hostile input must not exhaust the stack. */
const DEEPEST = 12

/** Greater than the number of keys in the protocol. */
const MAX_KEYS = 500

const snakeCase = remembering((key) =>
  key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
)
const camelCase = remembering((key) =>
  key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
)

/** The JSON text of a message of the agents' protocol: its keys in snake_case. */
export function renderAgentMessage(message: object): string {
  return JSON.stringify(mapKeys(message, snakeCase, 0))
}

/**
 * Reads a message of the agents' protocol; keys that the schema does not know are dropped.
 *
 * @throws {ServiceError} `malformed-request` with every problem and its path on the wire.
 */
export function parseAgentMessage<Message>(schema: z.ZodType<Message>, text: string): Message {
  const read = schema.safeParse(mapKeys(parseJson(text), camelCase, 0), { error: inWords })
  if (read.success) return read.data
  throw malformed(
    read.error.issues.map(({ message, path }) => ({ message, path: renderPath(path) })),
  )
}

function parseJson(text: string): unknown {
  return parseJsonOr(text, (cause) => {
    throw malformed([{ message: `The body is not JSON: ${cause.message}` }], { cause })
  })
}

function mapKeys(value: unknown, rename: (key: string) => string, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) throw malformed([{ message: `The body is nested too deeply` }])
  if (Array.isArray(value)) return value.map((item: unknown) => mapKeys(item, rename, depth + 1))
  const mapped: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    const name = rename(key)
    if (name !== '__proto__') mapped[name] = mapKeys(item, rename, depth + 1)
  }
  return mapped
}

/** Caches a function of keys, which are few unless a caller invents them. */
function remembering(rename: (key: string) => string): (key: string) => string {
  const renamed = new Map<string, string>()
  return (key) => {
    const name = renamed.get(key) ?? rename(key)
    if (renamed.size < MAX_KEYS) renamed.set(key, name)
    return name
  }
}

function renderPath(path: readonly PropertyKey[]): string {
  return path.map((step) => snakeCase(String(step))).join('.')
}

function malformed(problems: readonly Problem[], options?: ErrorOptions): ServiceError {
  const [first] = problems
  const told = [first?.path, first?.message].filter((text) => text !== undefined && text !== '')
  const message = told.length === 0 ? 'The message is malformed' : told.join(': ')
  return new ServiceError('malformed-request', message, { problems }, options)
}
