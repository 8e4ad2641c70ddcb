import { describeFailedFetch } from '../core/faults.ts'
import { inWords } from '../core/problem.ts'
import { parseJsonOrNull } from '../lib/parse-json.ts'
import { RESTORING_CALLS } from '../api/configuration/restoring-calls.ts'
import { fillPattern, nameOf } from '../api/definition/route-rules.ts'
import type { RouteFacts } from '../api/definition/route.ts'
import { ROUTES } from '../api/resources.ts'
import { ErrorBody } from '../wire/error-body.ts'
import type { AnswerOf, CallName } from './call-types.ts'
import { CallRefused, NoServer } from './client-errors.ts'
import { withoutTrailingSlashes } from '../lib/texts.ts'
import { bodyWithin } from '../lib/web-stream.ts'

/** The values of a call, of which a path, a query and headers are made. */
export interface CallRequest {
  readonly params?: Readonly<Record<string, string | number>>
  /** Null and undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | null | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Bytes or text as they are, anything else as JSON. */
  readonly body?: Uint8Array<ArrayBuffer> | string | object
}

export interface CallAnswer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export interface ServiceClientOptions {
  /** The address of the server, with its application path. */
  readonly server: string
  /** The value of `Authorization`. */
  readonly authorization: string
  readonly send?: typeof fetch
}

/** A save of a large document is judged and indexed before it is answered. */
const CALL_TIMEOUT_MS = 120_000

const CALLS: ReadonlyMap<string, RouteFacts> = new Map(
  [...ROUTES, ...Object.values(RESTORING_CALLS)].map((route) => [nameOf(route), route]),
)

/**
 * The calls of the interface, by their definitions: the path is made from the pattern, and an answer
 * is read by the schema that describes it. Proxies and certificates are those of Node.
 */
export class ServiceClient {
  readonly #options: ServiceClientOptions

  constructor(options: ServiceClientOptions) {
    this.#options = options
  }

  /**
   * Makes a call.
   *
   * @throws {CallRefused} for an answer that is an error.
   * @throws {NoServer} without an answer, and for one that is not as described.
   */
  async call<Name extends CallName>(
    name: Name,
    request?: CallRequest,
  ): Promise<CallAnswer<AnswerOf<Name>>>
  async call(name: CallName, request: CallRequest = {}): Promise<CallAnswer<unknown>> {
    const route = CALLS.get(name)
    if (route === undefined) throw new TypeError(`${name} is not a call`)
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS)
    const response = await this.#send(route, request, signal)
    const { status, headers } = response
    const text = await orNoServer(() => new Response(bodyWithin(response, signal)).text())
    if (!response.ok) throw new CallRefused(status, errorIn(text, response))
    return { status, headers, body: readBody(route, { status, headers, text }) }
  }

  #send(route: RouteFacts, request: CallRequest, signal: AbortSignal): Promise<Response> {
    const { server, authorization, send = fetch } = this.#options
    const { body, headers = {} } = request
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    const [type] = route.body?.content ?? []
    const init = {
      method: route.method,
      headers: {
        authorization,
        ...(body === undefined ? {} : { 'content-type': isRaw ? (type?.type ?? '') : JSON_TYPE }),
        ...headers,
      },
      body: isRaw ? (body ?? null) : JSON.stringify(body),
      signal,
      // The credentials must not be sent to the target of a redirection.
      redirect: 'error',
    } as const
    return orNoServer(() =>
      send(`${withoutTrailingSlashes(server)}${targetOf(route, request)}`, init),
    )
  }
}

const JSON_TYPE = 'application/json'

function targetOf({ path }: RouteFacts, { params = {}, query = {} }: CallRequest): string {
  const filled = fillPattern(path, (name) => {
    const value = params[name]
    if (value === undefined) throw new TypeError(`The parameter ${name} of ${path} is missing`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) search.set(name, String(value))
  }
  return search.size === 0 ? filled : `${filled}?${search.toString()}`
}

function readBody(
  route: RouteFacts,
  { status, headers, text }: { status: number; headers: Headers; text: string },
): unknown {
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  const content = route.answers[status]?.content?.find((each) => each.type === type)
  if (content === undefined) throw new NoServer(`The server answers ${status} with "${type}"`)
  if (content.schema === null) return text
  const read = content.schema.safeParse(parseJsonOrNull(text), { error: inWords })
  if (read.success) return read.data
  const [issue] = read.error.issues
  const place = issue?.path.join('.') ?? ''
  throw new NoServer(`The server answers something else: ${place}: ${issue?.message ?? ''}`)
}

/** The error in an answer of any form: a proxy may have given it. */
function errorIn(text: string, { status, statusText }: Response): ErrorBody {
  const read = ErrorBody.safeParse(parseJsonOrNull(text))
  return read.success ? read.data : { message: `The server answers ${status} ${statusText}` }
}

async function orNoServer<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error
    const reason = describeFailedFetch(error)
    throw new NoServer(`The server does not answer: ${reason}`, { cause: error })
  }
}
