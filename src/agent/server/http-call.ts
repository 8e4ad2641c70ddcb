import { z } from 'zod'
import { ServiceError } from '../../core/errors.ts'
import { abortedAfter } from '../../lib/aborted-after.ts'
import { parseAgentMessage, renderAgentMessage } from '../../wire/agent/message.ts'
import { ServerAbsent, ServerRefusal } from './server-errors.ts'

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: object | Blob | Buffer
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const ErrorMessage = z.object({ message: z.string() })

/** Statuses that refuse the call itself; every other error may be temporary. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 410, 413, 507])

/**
 * Makes HTTP calls to a server, below its application path. Of several servers, the next one gets the
 * calls after one that does not answer.
 */
export class HttpCaller {
  readonly #servers: readonly [URL, ...URL[]]
  #server: URL
  readonly #findToken: () => string | null

  constructor([first, ...others]: readonly [string, ...string[]], findToken: () => string | null) {
    this.#servers = [new URL(first), ...others.map((other) => new URL(other))]
    this.#server = this.#servers[0]
    this.#findToken = findToken
  }

  /**
   * Makes a call and returns the response.
   *
   * @throws {ServerRefusal} when the server refuses the call.
   * @throws {ServerAbsent} without a response, or for an error that may be temporary.
   */
  async call(call: HttpCall): Promise<Response> {
    const server = this.#server
    try {
      return await this.#callOne(server, call)
    } catch (error) {
      if (error instanceof ServerAbsent) this.#leave(server)
      throw error
    }
  }

  /** Calls at once may find the same server absent: it is left once. */
  #leave(absent: URL): void {
    if (this.#server !== absent) return
    const next = this.#servers.indexOf(absent) + 1
    this.#server = this.#servers[next] ?? this.#servers[0]
  }

  async #callOne(server: URL, call: HttpCall): Promise<Response> {
    const response = await this.#fetch(server, call)
    if (response.ok) return response
    const { status } = response
    const message = await this.#readMessage(response)
    if (REFUSALS.has(status)) throw new ServerRefusal(status, message)
    throw new ServerAbsent(`The server answers ${status}: ${message}`)
  }

  /** Makes a call and parses the message in the response. */
  async read<Message>(call: HttpCall, schema: z.ZodType<Message>): Promise<Message> {
    const response = await this.call(call)
    const text = await orAbsent(() => response.text(), call.signal)
    try {
      return parseAgentMessage(schema, text)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      throw new ServerAbsent(`The server answers something else: ${error.message}`, {
        cause: error,
      })
    }
  }

  #fetch(server: URL, { method, path, body, timeoutMs, signal }: HttpCall): Promise<Response> {
    const token = this.#findToken()
    const raw = body instanceof Blob || Buffer.isBuffer(body) || body === undefined
    const init = {
      method,
      body: raw ? (body ?? null) : renderAgentMessage(body),
      headers: {
        // Files of other jobs go from one machine to the next, and are only copied.
        'accept-encoding': 'identity',
        'content-type': raw ? 'application/octet-stream' : 'application/json; charset=utf-8',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      signal: abortedAfter(timeoutMs, signal),
      // The token must not be sent to the target of a redirection.
      redirect: 'error',
    } as const
    const base = server.pathname.replace(/\/+$/, '')
    return orAbsent(() => fetch(new URL(`${base}${path}`, server), init), signal)
  }

  /** The message of an error response, of any format. */
  async #readMessage(response: Response): Promise<string> {
    const text = await orAbsent(() => response.text(), null)
    try {
      return parseAgentMessage(ErrorMessage, text).message
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return response.statusText
    }
  }
}

/**
 * Network failures and timeouts become `ServerAbsent`; an abort by the caller is not translated.
 */
export async function orAbsent<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal | null,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    signal?.throwIfAborted()
    const network = error instanceof TypeError || error instanceof DOMException
    if (!network) throw error
    throw new ServerAbsent(`The server does not answer: ${describeCause(error)}`, { cause: error })
  }
}

function describeCause(error: Error): string {
  const { cause } = error
  if (cause instanceof AggregateError) return cause.errors.map(String).join(', ')
  return cause instanceof Error ? cause.message : error.message
}
