import { z } from 'zod'
import type { ErrorCode } from '../../core/errors.ts'

/** The callers of a call, and how it is refused to others. */
export type CallerKind = keyof typeof CALLERS

/** Every kind of caller, with the errors that all of its calls have in common. */
export const CALLERS = {
  anybody: { text: 'Anybody', scheme: null, errors: [] },
  user: { text: 'Every user', scheme: 'user', errors: [] },
  administrator: { text: 'Administrators', scheme: 'user', errors: ['not-permitted'] },
  groupAdministrator: {
    text: 'Administrators, and those of a pipeline group or a template for changes that lie wholly in it',
    scheme: 'user',
    errors: ['not-permitted'],
  },
  /** Reads the whole of the configuration, or with `entity` a part of it. */
  entityReader: {
    text: 'Administrators, and with `entity` those who administer the pipeline group or the template that it is in',
    scheme: 'user',
    errors: ['not-permitted'],
  },
  planReader: {
    text: 'Those who may view all that the change is about',
    scheme: 'user',
    errors: ['not-permitted'],
  },
  viewer: {
    text: 'Those who may view the pipeline',
    scheme: 'user',
    errors: ['not-permitted'],
  },
  operator: {
    text: 'Those who may operate the pipeline',
    scheme: 'user',
    errors: ['not-permitted'],
  },
  /** An operator of the pipeline, where the stage names nobody itself. */
  approver: {
    text: 'Those who may operate the pipeline',
    scheme: 'user',
    errors: ['not-permitted'],
  },
  agent: { text: 'The agent, by its token', scheme: 'agent', errors: ['token-refused'] },
  newAgent: { text: 'All agents', scheme: null, errors: [] },
  viewerOrAgent: {
    text: 'Those who may view the pipeline, and the agent whose job fetches it',
    scheme: 'both',
    errors: ['not-permitted', 'token-refused'],
  },
} as const satisfies Record<
  string,
  {
    readonly text: string
    readonly scheme: 'user' | 'agent' | 'both' | null
    readonly errors: readonly ErrorCode[]
  }
>

/** The bodies of one content type. */
export interface Content {
  readonly type: string
  /** Null: bytes of any form. */
  readonly schema: z.ZodType | null
  /** Messages of the agents' protocol have their keys in snake_case on the wire. */
  readonly keys?: 'snake_case'
}

export interface Answer {
  readonly text: string
  readonly content?: readonly Content[]
  readonly headers?: Readonly<Record<string, string>>
}

export interface Parameter {
  readonly text: string
  readonly schema: z.ZodType
  readonly required?: boolean
  /** The value of a path parameter in examples, as it is written there. */
  readonly example?: string
}

/** An object or a list, in the form that the schema describes; else the text. */
export type SampleBody = object | string

/** A request that a reader can copy, and how it is answered. The path follows from its parameters. */
export interface Example {
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: SampleBody
  /** The body of the answer that has the lowest status, where its schema has no example. */
  readonly answer?: SampleBody
}

/** A call as a tool for assistants, by the Model Context Protocol. */
export interface ToolMark {
  readonly name: string
  /** Said in place of the summary. */
  readonly about?: string
  /** The parameters of the query that it takes; all when absent. */
  readonly query?: readonly string[]
  /** The parameters of them that it needs. */
  readonly required?: readonly string[]
  /** Values of the query where none is given. */
  readonly defaults?: Readonly<Record<string, string>>
  /** Whether the answer is XML, of which secrets are hidden as on pages. */
  readonly isXml?: boolean
}

/** One call of the interface: a route with everything that its callers can know of it. */
export interface Operation {
  readonly tag: string
  readonly summary: string
  readonly caller: CallerKind
  /** The name that a parameter of the route's pattern has for callers, where it is another. */
  readonly rename?: Readonly<Record<string, string>>
  /** Parameters of the path that mean something else than their names do elsewhere. */
  readonly parameters?: Readonly<Record<string, Parameter>>
  readonly query?: Readonly<Record<string, Parameter>>
  readonly headers?: Readonly<Record<string, Parameter>>
  readonly body?: { readonly required: boolean; readonly content: readonly Content[] }
  /** By status. Errors need not be repeated here unless they have a form of their own. */
  readonly answers: Readonly<Record<number, Answer>>
  readonly errors?: readonly ErrorCode[]
  readonly example?: Example
  /** The tools that it is offered as; none when absent. */
  readonly tools?: readonly ToolMark[]
}

export const JSON_TYPE = 'application/json'
export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** A body in JSON. */
export function jsonBody(schema: z.ZodType, { required = true } = {}) {
  return { required, content: [{ type: JSON_TYPE, schema }] }
}

/** The same fields in each of several types; the example has the first. */
export function fieldsBody(
  schema: z.ZodType,
  { required = true, types = [JSON_TYPE, FORM_TYPE] }: BodyForm = {},
) {
  return { required, content: types.map((type) => ({ type, schema })) }
}

interface BodyForm {
  readonly required?: boolean
  readonly types?: readonly string[]
}

/** An answer in JSON, whose schema a client reads it by. */
export interface JsonAnswer<Schema extends z.ZodType> extends Answer {
  readonly content: readonly [{ readonly type: typeof JSON_TYPE; readonly schema: Schema }]
}

export function jsonAnswer<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  headers?: Answer['headers'],
): JsonAnswer<Schema> {
  return { text, content: [{ type: JSON_TYPE, schema }], ...(headers ? { headers } : {}) }
}

/** Of the calls that change the configuration: a form may say it in a field `message` instead. */
export const MESSAGE_HEADER = {
  'X-Cairn-Message': {
    text: 'The reason, as percent-encoded UTF-8: the body of the commit, and `message` of the revision',
    schema: z.string(),
  },
  'X-Cairn-Override': {
    text: 'The rules that the caller passes by an override, with commas between them',
    schema: z.string(),
  },
} as const satisfies Operation['headers']

export const NOT_MODIFIED: Answer = { text: 'The caller has the current content' }

/** Headers of an answer to a read. */
export const CACHE_HEADERS = {
  ETag: 'Identifies the content',
  'Cache-Control': 'Whether the content can change',
}

/** The answers to a read of what may change. */
export function reads<Schema extends z.ZodType>(text: string, schema: Schema) {
  return { 200: jsonAnswer(text, schema, CACHE_HEADERS), 304: NOT_MODIFIED } as const
}
