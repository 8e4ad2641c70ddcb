import * as fc from 'fast-check'
import { z } from 'zod'
import type { DescribedOperation, Schema } from '../service/described-api.ts'

/** A request that follows from a description, or breaks it. */
export interface DerivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Values that mean something to the service under test, by the name of their parameter. */
export type Known = Readonly<Record<string, readonly string[]>>

const NASTY = [
  '0',
  '-1',
  '1e9',
  '99999999999999999999',
  'ä ö/ü',
  '%00',
  '\u0000',
  '<script>',
  "';--",
  '__proto__',
  'constructor',
  '..%2f..',
  'a'.repeat(300),
  '\ud83d\ude00',
  '#?&=;',
]

/** A request by the description: every part known to the service, made by its schema, or nasty. */
export function requestOf(
  operation: DescribedOperation,
  known: Known,
): fc.Arbitrary<DerivedRequest> {
  const valueOf = (place: string, name: string, schema: Schema) =>
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(...valuesOf(operation, known, { name, place })),
      },
      { weight: 1, arbitrary: bySchema(schema).map(textOf) },
      { weight: 1, arbitrary: fc.constantFrom(...NASTY) },
    )
  const part = (place: string) => {
    const here = operation.parameters.filter((parameter) => parameter.in === place)
    const values = Object.fromEntries(
      here.map(({ name, schema }) => [name, valueOf(place, name, schema)] as const),
    )
    const requiredKeys = place === 'path' ? Object.keys(values) : []
    return fc.record(values, { requiredKeys }).map((given) => withoutGaps(given))
  }
  return fc
    .record({
      path: part('path'),
      query: part('query'),
      headers: part('header'),
      body: bodyOf(operation, known),
    })
    .filter(({ path }) => Object.values(path).every((value) => !/^\.{0,2}$/.test(value)))
    .map(({ path, query, headers, body }) => ({
      method: operation.method.toUpperCase(),
      path: `${fill(operation.path, path)}?${new URLSearchParams(query).toString()}`,
      headers: { ...mapValues(headers, asHeader), ...(body ? { 'content-type': body.type } : {}) },
      body: body?.text ?? null,
    }))
}

/** The values of a parameter: of this call, of this place in a request, or of this name. */
function valuesOf(
  { path }: DescribedOperation,
  known: Known,
  { name, place }: { readonly name: string; readonly place: string },
): readonly string[] {
  return known[`${path} ${name}`] ?? known[`${place} ${name}`] ?? known[name] ?? ['1']
}

/** The request whose every part is the first that the service knows. */
export function bestRequestOf(operation: DescribedOperation, known: Known): DerivedRequest {
  const first = (name: string, place = '') => valuesOf(operation, known, { name, place })[0] ?? '1'
  const values = Object.fromEntries(operation.parameters.map(({ name }) => [name, first(name)]))
  const needed = operation.parameters.filter(
    ({ in: place, required, name }) => place !== 'path' && (required || name === 'If-Match'),
  )
  const inQuery = needed.filter(({ in: place }) => place === 'query')
  const query = new URLSearchParams(
    Object.fromEntries(inQuery.map(({ name }) => [name, first(name, 'query')])),
  )
  const inHeader = needed.filter(({ in: place }) => place === 'header')
  const [type = null] = Object.keys(operation.requestBody?.content ?? {})
  const body = operation.method === 'get' ? null : (known[`body ${operation.path}`]?.[0] ?? null)
  return {
    method: operation.method.toUpperCase(),
    path: `${fill(operation.path, values)}?${query.toString()}`,
    headers: {
      ...Object.fromEntries(inHeader.map(({ name }) => [name, first(name)])),
      ...(type === null || body === null ? {} : { 'content-type': type }),
    },
    body,
  }
}

function bodyOf({ path, method, requestBody }: DescribedOperation, known: Known) {
  if (method === 'get') return fc.constant(null)
  const types = Object.entries(requestBody?.content ?? { 'text/plain': {} })
  const good = known[`body ${path}`]
  return fc.oneof(
    fc.constant(null),
    ...types.map(([type, { schema }]) =>
      fc.record({
        type: fc.constantFrom(type, type, type, 'text/plain'),
        text: fc.oneof(
          ...(good ? [fc.constantFrom(...good)] : []),
          encoded(type, schema ? bySchema(schema) : fc.string()),
          fc.constantFrom('', '{', '[]', 'null', '<cruise', ...NASTY),
        ),
      }),
    ),
  )
}

function encoded(type: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const Fields = z.record(z.string(), z.unknown())
  if (!type.includes('urlencoded')) return value.map(textOf)
  return value.map((given) =>
    new URLSearchParams(mapValues(Fields.catch({}).parse(given), textOf)).toString(),
  )
}

const Shape = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  anyOf: z.array(z.record(z.string(), z.unknown())).optional(),
  oneOf: z.array(z.record(z.string(), z.unknown())).optional(),
  pattern: z.string().optional(),
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  required: z.array(z.string()).optional(),
  items: z.record(z.string(), z.unknown()).optional(),
})

/** A value of a JSON schema, as far as those of this interface go. */
function bySchema(schema: Schema): fc.Arbitrary<unknown> {
  const shape = Shape.parse(schema)
  if ('const' in schema) return fc.constant(shape.const)
  if (shape.enum) return fc.constantFrom(...shape.enum)
  if (Array.isArray(shape.type)) {
    return fc.oneof(...shape.type.map((type) => bySchema({ ...schema, type })))
  }
  const choices = shape.anyOf ?? shape.oneOf
  if (choices) return fc.oneof(...choices.map(bySchema))
  if (shape.type === 'object') {
    const values = Object.entries(shape.properties ?? {}).map(
      ([name, value]) => [name, bySchema(value)] as const,
    )
    return fc.record(Object.fromEntries(values), { requiredKeys: shape.required ?? [] })
  }
  if (shape.type === 'array') return fc.array(bySchema(shape.items ?? {}), { maxLength: 3 })
  if (shape.type === 'integer') return fc.nat()
  if (shape.type === 'boolean') return fc.boolean()
  if (shape.type === 'null') return fc.constant(null)
  return shape.pattern && !shape.pattern.includes('\\p')
    ? fc.stringMatching(new RegExp(shape.pattern, 'u'))
    : fc.string({ minLength: 1 })
}

function withoutGaps(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

function fill(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((values[name] ?? '1').toWellFormed()),
  )
}

/** The part of a text that a header can hold. */
function asHeader(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]/g, '?').trim()
}

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
