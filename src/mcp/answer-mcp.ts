import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import type { OwnCalls } from '../api/definition/api-context.ts'
import { nameOf } from '../api/definition/route-rules.ts'
import { ServiceError } from '../core/errors.ts'
import { maskSecrets } from '../document/text/shown-text.ts'
import { AddressList } from '../http/address-list.ts'
import { renderError } from '../http/errors.ts'
import { type AuditAction, RequestContext } from '../http/request-context.ts'
import { INDEXED_HEADER } from '../wire/revision-bodies.ts'
import { ErrorBody, linesOfError } from '../wire/error-body.ts'
import { requestOf, type Tool, toolsOf } from './tools.ts'
import { digestOf } from '../core/digest.ts'
import { malformed } from '../http/parameters.ts'

const NO_PROXIES = new AddressList([])
/** The forms that a client of the protocol has to accept. */
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

interface ToolResult {
  [key: string]: unknown
  content: { type: 'text'; text: string }[]
  isError?: boolean
}

/** Answers messages of the Model Context Protocol by calls of the interface, in the name of the caller. */
export class McpAnswers {
  readonly #calls: OwnCalls
  readonly #version: string
  readonly #tools: ReadonlyMap<string, Tool>

  constructor(calls: OwnCalls, version: string) {
    this.#calls = calls
    this.#version = version
    this.#tools = toolsOf(calls.routes)
  }

  /**
   * Answers one request, once the tools that it calls have ended: then the context has an action for
   * the audit log for each of them.
   */
  async answer(request: Request, message: unknown, context: RequestContext): Promise<Response> {
    const actions: AuditAction[] = []
    const handler = createMcpHandler(() => this.#server(request, context, actions))
    const headers = new Headers(request.headers)
    for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value)
    const asked = new Request(request.url, { method: 'POST', headers })
    const answered = await handler.fetch(asked, { parsedBody: message })
    const body = await answered.text()
    await handler.close()
    context.isNews = actions.length > 0
    context.auditActions = actions
    const type = answered.headers.get('content-type')
    return new Response(body === '' ? null : body, {
      status: answered.status,
      headers: { 'cache-control': 'no-store', ...(type === null ? {} : { 'content-type': type }) },
    })
  }

  #server(request: Request, context: RequestContext, actions: AuditAction[]): Server {
    const info = { name: 'cairn', version: this.#version }
    const server = new Server(info, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => ({
      tools: [...this.#tools.values()].map(({ name, description, inputSchema, isReading }) => ({
        name,
        description,
        inputSchema,
        annotations: { readOnlyHint: isReading, destructiveHint: false },
      })),
    }))
    server.setRequestHandler('tools/call', async ({ params }) => {
      const tool = this.#tools.get(params.name)
      if (tool === undefined) return failed(`There is no tool ${params.name}`)
      try {
        return await this.#call(tool, params.arguments ?? {}, { request, context, actions })
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        return failed(linesOfError(renderError(error)).join('\n'))
      }
    })
    return server
  }

  async #call(
    tool: Tool,
    { cursor, ...given }: Readonly<Record<string, unknown>>,
    {
      request,
      context,
      actions,
    }: { request: Request; context: RequestContext; actions: AuditAction[] },
  ): Promise<ToolResult> {
    const { basePath } = context
    const asked = requestOf(tool, given, `${new URL(request.url).origin}${basePath}`)
    const inner = new RequestContext(asked, null, { basePath, proxies: NO_PROXIES })
    inner.principal = context.principal
    inner.credential = context.credential
    inner.isDecided = context.isDecided
    const response = await this.#calls.answer(asked, inner)
    const [own = { action: actionOf(tool), target: inner.path }] = inner.auditActions
    const ended = response.ok ? {} : { ended: { reason: inner.reason } }
    actions.push({ ...own, via: 'mcp', ...ended })
    const text = await response.text()
    if (!response.ok) return failed(errorIn(text, response.status))
    const whole = tool.mark.isXml ? maskSecrets(text) : linesOfBody(JSON.parse(text))
    const page = pageOfAnswer(whole, typeof cursor === 'string' ? cursor : undefined)
    const more = page.cursor === null ? '' : `(more: call again with cursor ${page.cursor})\n`
    return { content: [{ type: 'text', text: `${page.text}${incompleteness(response)}${more}` }] }
  }
}

function actionOf({ route }: Tool): string {
  return typeof route.audit === 'string' ? route.audit : nameOf(route)
}

/** An answer from an index that is being made is not the whole truth. */
function incompleteness({ headers }: Response): string {
  const [indexed, of] = headers.get(INDEXED_HEADER)?.split('/') ?? []
  if (indexed === undefined) return ''
  return `(incomplete: only ${indexed} of ${of} revisions are indexed yet: ask again)\n`
}

function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function errorIn(text: string, status: number): string {
  const read = ErrorBody.safeParse(JSON.parse(text))
  return read.success ? linesOfError(read.data).join('\n') : `The call was answered ${status}`
}

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
function pageOfAnswer(whole: string, cursor: string | undefined): AnswerPage {
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
function linesOfBody(body: unknown): string {
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
