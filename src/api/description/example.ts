import { z } from 'zod'
import { renderAgentMessage } from '../../wire/agent/message.ts'
import {
  type Content,
  JSON_TYPE,
  type Operation,
  type SampleBody,
} from '../definition/operation.ts'

const ANY = '*/*'

/** One request that can be sent as it stands, and what answers it. */
export interface DescribedExample {
  /** Path and query, below the application path. */
  readonly target: string
  /** Without credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** Null: no body is sent. */
  readonly body: ExampleBody | null
  /** Null: the body of the answer means nothing to a reader, or there is none. */
  readonly answer: (ExampleBody & { readonly status: number }) | null
}

export interface ExampleBody {
  readonly type: string
  /** For the schema of the content: an object or a list, else the text. */
  readonly value: unknown
  /** The bytes. */
  readonly text: string
}

/** @param path The path with an example for each parameter. */
export function describeExample(path: string, operation: Operation): DescribedExample {
  const { query, headers, body, answer } = operation.example ?? {}
  const sent = bodyOf(operation.body?.content, body)
  const [status, answered] = firstAnswerOf(operation)
  const told = bodyOf(answered?.content, answer ?? sampleOf(answered?.content))
  return {
    target: query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`,
    headers: { ...(sent && sent.type !== ANY ? { 'Content-Type': sent.type } : {}), ...headers },
    body: sent,
    answer: told && { status, ...told },
  }
}

/** The answer that the example of an operation shows: the one with the lowest status. */
export function firstAnswerOf({ answers }: Operation) {
  const [first] = Object.entries(answers)
  return [Number(first?.[0]), first?.[1]] as const
}

function sampleOf(content: readonly Content[] = []): SampleBody | undefined {
  const [schema] = content.flatMap((each) => each.schema ?? [])
  const sample = schema && sampleFor(schema)
  return typeof sample === 'object' && sample !== null ? sample : undefined
}

/** Texts are of a content that has no schema, all else is of one that has. */
function bodyOf(
  content: readonly Content[] = [],
  given: SampleBody | undefined,
): ExampleBody | null {
  const found = content.find(({ schema }) => (schema === null) === (typeof given === 'string'))
  if (found === undefined || given === undefined) return null
  const { type } = found
  const text = textOf(found, given)
  return { type, value: type === JSON_TYPE ? JSON.parse(text) : given, text }
}

function textOf({ type, keys }: Content, given: SampleBody): string {
  if (typeof given === 'string') return given
  if (keys === 'snake_case') return renderAgentMessage(given)
  return type === JSON_TYPE
    ? JSON.stringify(given)
    : new URLSearchParams(Object.entries(given)).toString()
}

/**
 * An example of what a schema describes: its own (`meta({ example })`), or one made of those of its parts. What
 * may be null or absent is so without one of its own. Undefined where an example is missing.
 */
export function sampleFor(schema: z.core.$ZodType): unknown {
  const own = z.globalRegistry.get(schema)
  if (own && 'example' in own) return own['example']
  if (schema instanceof z.ZodObject) return objectSample(schema)
  if (schema instanceof z.ZodArray) return listOf(sampleFor(schema.element))
  if (schema instanceof z.ZodNullable) return sampleFor(schema.unwrap()) ?? null
  if (schema instanceof z.ZodReadonly) return sampleFor(schema.unwrap())
  if (schema instanceof z.ZodLiteral) return schema.value
  if (schema instanceof z.ZodEnum) return schema.options[0]
  if (schema instanceof z.ZodBoolean) return false
  return undefined
}

function listOf(sample: unknown): unknown[] | undefined {
  return sample === undefined ? undefined : [sample]
}

function objectSample({ shape }: z.ZodObject): Record<string, unknown> | undefined {
  const sample: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(shape)) {
    const value = isOptional(field) ? z.globalRegistry.get(field)?.['example'] : sampleFor(field)
    if (value !== undefined) sample[name] = value
    else if (!isOptional(field)) return undefined
  }
  return sample
}

function isOptional(field: z.core.$ZodType): boolean {
  return field instanceof z.ZodOptional || field instanceof z.ZodExactOptional
}
