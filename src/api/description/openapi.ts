import { z } from 'zod'
import { ErrorBody } from '../../wire/error-body.ts'
import type { DescribedCall } from './described-call.ts'
import type { ExampleBody } from './example.ts'
import { type Answer, CALLERS, type Content, type Parameter } from '../definition/operation.ts'

type Json = Readonly<Record<string, unknown>>

const ERROR = { $ref: '#/components/schemas/Error' }

const INTRODUCTION = [
  'Credentials are HTTP Basic, with a password or a token, or a token as Bearer. `HEAD` works wherever `GET` does. An unsupported method',
  'is answered 405 with `Allow`, an unknown address 404, and malformed HTTP 400, 408 or 431.',
  'Unknown query parameters and a trailing slash are ignored.',
  'Every answer has an `X-Request-Id`, taken from the request if well-formed.',
].join(' ')

/** The description of the interface as an OpenAPI 3.1 document. */
export function renderOpenApi(
  calls: readonly DescribedCall[],
  { basePath, version }: { readonly basePath: string; readonly version: string },
): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const call of calls) (paths[call.path] ??= {})[call.method.toLowerCase()] = renderCall(call)
  return {
    openapi: '3.1.0',
    info: { title: 'Cairn', version, description: INTRODUCTION },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    paths,
    components: {
      schemas: { Error: jsonSchema(ErrorBody, {}) },
      securitySchemes: {
        user: { type: 'http', scheme: 'basic' },
        token: { type: 'http', scheme: 'bearer' },
        agent: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

function renderCall(call: DescribedCall): Json {
  const { method, path, operation, parameters, answers, kind, example: shown } = call
  const { caller, tag, summary, body, query = {}, headers = {}, example = {} } = operation
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`,
    tags: [tag],
    summary,
    description: `For: ${CALLERS[caller].text}.`,
    ...(kind === 'described' ? {} : { [`x-${kind}`]: true }),
    security: securityOf(caller),
    parameters: [
      ...parameters.map(([name, parameter]) => renderParameter('path', name, parameter)),
      ...Object.entries(query).map(([name, value]) =>
        renderParameter('query', name, { ...value, example: example.query?.[name] }),
      ),
      ...Object.entries(headers).map(([name, value]) =>
        renderParameter('header', name, { ...value, example: example.headers?.[name] }),
      ),
    ],
    ...(body
      ? {
          requestBody: {
            required: body.required,
            content: renderContent(body.content, 'input', shown?.body),
          },
        }
      : {}),
    responses: Object.fromEntries(
      answers.map(([status, answer]) => [
        String(status),
        renderAnswer(answer, shown?.answer?.status === status ? shown.answer : null),
      ]),
    ),
  }
}

function securityOf(caller: keyof typeof CALLERS): Json[] {
  const { scheme } = CALLERS[caller]
  if (scheme === null) return []
  const user = [{ user: [] }, { token: [] }]
  if (scheme === 'agent') return [{ agent: [] }]
  return scheme === 'both' ? [...user, { agent: [] }] : user
}

function renderParameter(
  place: string,
  name: string,
  {
    text,
    schema,
    required,
    example,
  }: Omit<Parameter, 'example'> & { readonly example?: string | undefined },
): Json {
  return {
    name,
    in: place,
    required: place === 'path' || required === true,
    ...(text === '' ? {} : { description: text }),
    schema: schemaOf(schema, { io: 'input' }),
    ...(example === undefined ? {} : { example }),
  }
}

function renderAnswer({ text, content, headers }: Answer, example: ExampleBody | null): Json {
  return {
    description: text,
    ...(headers
      ? {
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, description]) => [
              name,
              { description, schema: { type: 'string' } },
            ]),
          ),
        }
      : {}),
    ...(content ? { content: renderContent(content, 'output', example) } : {}),
  }
}

function renderContent(
  content: readonly Content[],
  io: 'input' | 'output',
  example: ExampleBody | null = null,
): Json {
  return Object.fromEntries(
    content.map(({ type, schema, keys }) => [
      type,
      {
        ...(schema === null ? {} : { schema: schemaOf(schema, { io, keys }) }),
        ...(example?.type === type ? { example: example.value } : {}),
      },
    ]),
  )
}

interface Form {
  readonly io?: 'input' | 'output'
  readonly keys?: Content['keys']
}

function schemaOf(schema: z.ZodType, form: Form): Json {
  return schema === ErrorBody ? ERROR : jsonSchema(schema, form)
}

function jsonSchema(schema: z.ZodType, { io = 'output', keys }: Form): Json {
  const override = keys === undefined ? () => {} : inSnakeCase
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema: made }) => override(made),
  })
  return rest
}

function inSnakeCase(schema: { properties?: Record<string, unknown>; required?: string[] }): void {
  if (schema.properties) {
    schema.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([key, value]) => [snakeCase(key), value]),
    )
  }
  if (schema.required) schema.required = schema.required.map(snakeCase)
}

function snakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
