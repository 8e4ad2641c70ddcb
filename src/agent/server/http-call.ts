import { text as textOf } from 'node:stream/consumers'
import { z } from 'zod'
import { ServiceError } from '../../core/errors.ts'
import { describeFailedFetch } from '../../core/faults.ts'
import { abortedAfter } from '../../lib/aborted-after.ts'
import { parseAgentMessage, renderAgentMessage } from '../../wire/agent/message.ts'
import { SentFile } from './sent-file.ts'
import { ServerChoice } from './server-choice.ts'
import { ServerAbsent, ServerRefusal } from './server-errors.ts'
import { withoutTrailingSlashes } from '../../lib/texts.ts'
import { bodyWithin, webStreamOf } from '../../lib/web-stream.ts'

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: object | SentFile | Buffer
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Begins to read the body of an answer, for as long as its call may take. */
export type ReadBody = () => ReadableStream<Uint8Array>

const ErrorMessage = z.object({ message: z.string() })

/** Statuses that refuse the call itself; every other error may be temporary. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 410, 413, 507])

/** Makes HTTP calls to a server, below its application path; of several servers, to one at a time. */
export class HttpCaller {
  readonly #servers: ServerChoice
  readonly #findToken: () => string | null

  constructor(servers: readonly [string, ...string[]], findToken: () => string | null) {
    this.#servers = new ServerChoice(servers)
    this.#findToken = findToken
  }

  /**
   * Makes a call and returns the parsed response.
   *
   * @throws {ServerRefusal} when the server refuses the call.
   * @throws {ServerAbsent} without a response, or for an error that may be temporary.
   */
  async call<Answer>(call: HttpCall, read: (body: ReadBody) => Promise<Answer>): Promise<Answer> {
    const server = this.#servers.current
    const end = new AbortController()
    const silence = this.#servers.watch(server, AbortSignal.any([end.signal, call.signal]))
    try {
      return await read(await this.#callOne(server, call, silence))
    } catch (error) {
      const isSilent = silence.aborted
      if (error instanceof ServerAbsent) this.#servers.leave(server, { isSilent })
      throw error
    } finally {
      end.abort()
    }
  }

  async #callOne(server: URL, call: HttpCall, silence: AbortSignal): Promise<ReadBody> {
    const end = abortedAfter(call.timeoutMs, AbortSignal.any([call.signal, silence]))
    const response = await this.#fetch(server, call, end)
    const body = () => bodyWithin(response, end)
    if (response.ok) return body
    const { status } = response
    const message = (await this.#readMessage(body)) ?? response.statusText
    if (REFUSALS.has(status)) throw new ServerRefusal(status, message)
    throw new ServerAbsent(`The server answers ${status}: ${message}`)
  }

  /** Makes a call and parses the message in the response. */
  async read<Message>(call: HttpCall, schema: z.ZodType<Message>): Promise<Message> {
    const read = (body: ReadBody) => orAbsent(() => textOf(body()), call.signal)
    const text = await this.call(call, read)
    try {
      return parseAgentMessage(schema, text)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      throw new ServerAbsent(`The server answers something else: ${error.message}`, {
        cause: error,
      })
    }
  }

  #fetch(
    server: URL,
    { method, path, body, signal }: HttpCall,
    end: AbortSignal,
  ): Promise<Response> {
    const token = this.#findToken()
    const isMessage = body !== undefined && !Buffer.isBuffer(body) && !(body instanceof SentFile)
    const init = {
      method,
      ...contentOf(body),
      headers: {
        // Files of other jobs go from one machine to the next, and are only copied.
        'accept-encoding': 'identity',
        'content-type': isMessage ? 'application/json; charset=utf-8' : 'application/octet-stream',
        ...(body instanceof SentFile ? { 'content-length': String(body.size) } : {}),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      signal: end,
      // The token must not be sent to the target of a redirection.
      redirect: 'error',
    } as const
    const base = withoutTrailingSlashes(server.pathname)
    return orAbsent(() => fetch(new URL(`${base}${path}`, server), init), signal)
  }

  /** The message of an error response; null where that has another format. */
  async #readMessage(body: ReadBody): Promise<string | null> {
    const text = await orAbsent(() => textOf(body()), null)
    try {
      return parseAgentMessage(ErrorMessage, text).message
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return null
    }
  }
}

function contentOf(body: HttpCall['body']): Pick<RequestInit, 'body' | 'duplex'> {
  if (body instanceof SentFile) return { body: webStreamOf(body.content), duplex: 'half' }
  const isRaw = body === undefined || Buffer.isBuffer(body)
  return { body: isRaw ? (body ?? null) : renderAgentMessage(body) }
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
    throw new ServerAbsent(`The server does not answer: ${describeFailedFetch(error)}`, {
      cause: error,
    })
  }
}
