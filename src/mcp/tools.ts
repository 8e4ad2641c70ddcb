import { z } from 'zod'
import type { Parameter, ToolMark } from '../api/definition/operation.ts'
import { fillPattern } from '../api/definition/route-rules.ts'
import type { RouteFacts } from '../api/definition/route.ts'
import { parametersOf } from '../api/description/described-call.ts'
import { malformed } from '../http/parameters.ts'

const JSON_TYPE = 'application/json'
/** The name of the argument with a body that is a document. */
const XML = 'xml'

/** A call of the interface as an assistant sees it. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object' } & Readonly<Record<string, unknown>>
  readonly isReading: boolean
  readonly mark: ToolMark
  readonly route: RouteFacts
}

type Arguments = Readonly<Record<string, unknown>>

/** The tools that routes are offered as, by their definitions. */
export function toolsOf(routes: readonly RouteFacts[]): ReadonlyMap<string, Tool> {
  const tools = routes.flatMap((route) => (route.tools ?? []).map((mark) => toolOf(route, mark)))
  return new Map(tools.map((tool) => [tool.name, tool]))
}

function toolOf(route: RouteFacts, mark: ToolMark): Tool {
  const { summary, caller } = route
  const query = queryOf(route, mark)
  const parameters = [...parametersOf(route.path, route), ...query]
  const properties = Object.fromEntries(parameters.map(([name, given]) => [name, schemaOf(given)]))
  const body = bodyOf(route)
  const required = [
    ...parametersOf(route.path, route).map(([name]) => name),
    ...(mark.required ?? []),
    ...(body.required ?? []),
  ]
  return {
    name: mark.name,
    description: `${mark.about ?? summary}. For: ${caller === 'anybody' ? 'user' : caller}.`,
    inputSchema: {
      type: 'object',
      properties: {
        ...properties,
        ...body.properties,
        cursor: { type: 'string', description: 'Where the answer before ended' },
      },
      required,
      additionalProperties: false,
    },
    isReading: mark.name !== 'propose',
    mark,
    route,
  }
}

function queryOf({ query = {} }: RouteFacts, mark: ToolMark): (readonly [string, Parameter])[] {
  return Object.entries(query).filter(([name]) => mark.query?.includes(name) ?? true)
}

interface BodySchema {
  readonly properties: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

const Described = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
})

function bodyOf({ body }: RouteFacts): BodySchema {
  const [content] = body?.content ?? []
  if (content === undefined) return { properties: {} }
  if (content.type === JSON_TYPE && content.schema !== null)
    return Described.parse(z.toJSONSchema(content.schema, { io: 'input' }))
  const description = 'The XML: of the whole configuration, or of the entity'
  return { properties: { [XML]: { type: 'string', description } }, required: [XML] }
}

function schemaOf({ text, schema }: Parameter): unknown {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return { ...rest, ...(text === '' ? {} : { description: text }) }
}

/**
 * The request that a tool makes.
 *
 * @throws {ServiceError} `malformed-request` for an argument that is missing or unknown.
 */
export function requestOf(tool: Tool, given: Arguments, base: string): Request {
  const { mark, route, inputSchema } = tool
  const { properties, required } = Described.parse(inputSchema)
  for (const name of Object.keys(given)) {
    if (!(name in properties))
      throw malformed(`The tool ${tool.name} has no argument ${name}`, name)
  }
  for (const name of required) {
    if (given[name] === undefined) throw malformed(`The argument ${name} is missing`, name)
  }
  const { rename = {} } = route
  const path = fillPattern(
    route.path,
    (name, ending) => `${encodeURIComponent(textOf(given[rename[name] ?? name]))}${ending}`,
  )
  const search = new URLSearchParams(mark.defaults)
  for (const [name] of queryOf(route, mark)) {
    if (given[name] !== undefined) search.set(name, textOf(given[name]))
  }
  const { method } = route
  const url = `${base}${path}${search.size === 0 ? '' : `?${search.toString()}`}`
  if (method === 'GET') return new Request(url)
  const [type] = route.body?.content ?? []
  const body = type?.type === JSON_TYPE ? JSON.stringify(fieldsOf(tool, given)) : textOf(given[XML])
  return new Request(url, { method, body, headers: { 'content-type': type?.type ?? '' } })
}

function fieldsOf({ route }: Tool, given: Arguments): Arguments {
  const { properties } = bodyOf(route)
  return Object.fromEntries(Object.entries(given).filter(([name]) => name in properties))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
