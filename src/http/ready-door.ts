import { performance } from 'node:perf_hooks'
import type { HttpBindings } from '@hono/node-server'
import type { Principal } from '../core/principal.ts'
import type { RequestMetrics } from '../core/request-metrics.ts'
import { REQUEST_ID, requestIdOf } from './exchange.ts'
import type { AnswerReady } from './listen.ts'
import type { ReadyBody, ReadyForm } from './ready-body.ts'

/** The answers that are kept ready for GETs of some addresses. */
export interface ReadyAnswers {
  /**
   * The name of the route that would answer an address, given as it stands in the request without
   * the base path; null where nothing is ever ready.
   */
  routeOf(target: string): string | null
  /** The answer; null when it is not kept, or the caller may not have it: then the routes decide. */
  find(target: string, principal: Principal): ReadyBody | null
}

export interface ReadyDoorOptions {
  readonly basePath: string
  readonly credentials: {
    rememberedOn(connection: object, authorization: string): Principal | null
  }
  readonly answers: ReadyAnswers
  readonly metrics: RequestMetrics
}

/** Any other way to name a host has to be looked at closely, as is done for all other requests. */
const PLAIN_HOST = /^[a-z0-9._-]+(:\d{1,5})?$/

/**
 * Stands before everything else: lets known callers have what is ready. What stands on the line is
 * enough for that, so such an answer costs a few look-ups and is written as it is kept. It is
 * counted and named like any other; being a GET that nobody is refused, it is not noted.
 */
export function openReadyDoor(options: ReadyDoorOptions): AnswerReady {
  const { basePath, metrics } = options
  return (connection) => {
    const { method, url = '', headers } = connection.incoming
    if (method !== 'GET' || !url.startsWith(basePath)) return false
    const target = url.slice(basePath.length)
    const route = options.answers.routeOf(target)
    if (route === null || !PLAIN_HOST.test(headers.host ?? '')) return false
    const began = performance.now()
    const form = find(options, target, connection.incoming)?.formFor(headers) ?? null
    if (form === null) return false
    metrics.begin()
    send(connection, form)
    metrics.end(route, form.status, (performance.now() - began) / 1_000)
    return true
  }
}

function find(
  { credentials, answers }: ReadyDoorOptions,
  target: string,
  { headers, socket }: HttpBindings['incoming'],
): ReadyBody | null {
  const { authorization } = headers
  if (authorization === undefined) return null
  const known = credentials.rememberedOn(socket, authorization)
  return known && answers.find(target, known)
}

/** Node is much quicker with all headers at once than with one that was set before. */
function send(
  { incoming, outgoing }: HttpBindings,
  { status, line, bytes, text }: ReadyForm,
): void {
  const id = requestIdOf(incoming.headers[REQUEST_ID])
  outgoing.writeHead(status, line.concat(REQUEST_ID, id))
  if (text !== null) outgoing.end(text, 'latin1')
  else if (bytes !== null) outgoing.end(bytes)
  else outgoing.end()
}
