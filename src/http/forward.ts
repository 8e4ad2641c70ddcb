import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { reasonOf } from '../core/errors.ts'
import { webStreamOf } from '../lib/web-stream.ts'
import type { RequestContext } from './request-context.ts'

/** Marks a request from another server, which is not forwarded a second time. */
export const FORWARDED = 'x-cairn-forwarded'

/** A server that answers instead of this one. */
export interface Upstream {
  /** With its base path. */
  readonly address: string
  /** Aborts requests in flight. */
  readonly gone: AbortSignal
}

/** The other server gave no answer. */
export class NoAnswer extends Error {
  /** Whether the other server may have received the request. */
  readonly wasReached: boolean

  constructor(wasReached: boolean, cause: unknown) {
    super(reasonOf(cause), { cause })
    this.wasReached = wasReached
  }
}

/** Headers of a single connection, which are not forwarded. */
const OF_A_CONNECTION: readonly string[] = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
const WITHOUT_BODY: readonly number[] = [204, 205, 304]

/**
 * Has another server answer a request. Bodies are passed on as they come, both ways.
 *
 * @throws {NoAnswer} when no answer has begun.
 */
export async function forward(
  request: Request,
  context: RequestContext,
  to: Upstream & { readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const ended = AbortSignal.any([request.signal, to.gone])
  const url = new URL(to.address)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const outgoing = send(url, {
    method: request.method,
    path: `${url.pathname.replace(/\/$/, '')}${innerAddress(request, context)}`,
    headers: {
      ...headersOf(request, context),
      ...to.headers,
      [FORWARDED]: '1',
    },
    signal: ended,
  })
  let wasReached = false
  outgoing.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', () => (wasReached = true))
    else wasReached = true
  })
  try {
    const answered = answerOf(outgoing)
    await Promise.race([answered, sendBody(request, outgoing)])
    return responseOf(await answered, request)
  } catch (error) {
    throw new NoAnswer(wasReached, error)
  }
}

/** The path below the base path, with the query. */
function innerAddress(request: Request, { basePath }: RequestContext): string {
  const { pathname, search } = new URL(request.url)
  return `${pathname.slice(basePath.length)}${search}`
}

function headersOf(request: Request, { id, address }: RequestContext): Record<string, string> {
  const kept = Array.from(request.headers).filter(([name]) => !OF_A_CONNECTION.includes(name))
  const before = request.headers.get('x-forwarded-for')
  const forwardedFor = before === null ? address : `${before}, ${address}`
  return {
    ...Object.fromEntries(kept),
    'x-request-id': id,
    'x-forwarded-for': forwardedFor,
  }
}

function answerOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.on('error', reject)
  })
}

/** An answer that arrives before the body was sent ends the sending, and is what counts. */
async function sendBody(request: Request, outgoing: ClientRequest): Promise<void> {
  if (request.body === null) {
    outgoing.end()
    return
  }
  await pipeline(Readable.fromWeb(request.body), outgoing).catch(() => undefined)
}

function responseOf(incoming: IncomingMessage, { method }: Request): Response {
  const status = incoming.statusCode ?? 502
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || OF_A_CONNECTION.includes(name)) continue
    for (const each of [value].flat()) headers.append(name, each)
  }
  const isEmpty = method === 'HEAD' || WITHOUT_BODY.includes(status)
  if (isEmpty) incoming.resume()
  return new Response(isEmpty ? null : webStreamOf(incoming), {
    status,
    headers,
  })
}
