import { performance } from 'node:perf_hooks'
import type { HttpBindings } from '@hono/node-server'
import type { Log } from '../core/log.ts'
import type { Principal } from '../core/principal.ts'
import type { RequestMetrics } from '../core/request-metrics.ts'
import { Exchange, REQUEST_ID, requestIdOf } from './exchange.ts'
import type { AllowedHosts } from './allowed-hosts.ts'
import type { AnswerReady } from './listen.ts'
import { SLOW, tell } from './observe.ts'
import type { ReadyBody, ReadyForm } from './ready-body.ts'

/** The answers to GETs of some addresses that are kept ready, or need nothing but to be read. */
export interface ReadyAnswers {
  /**
   * The name of the route that would answer an address, given as it stands in the request without
   * the base path; null where nothing is ever ready.
   */
  routeOf(target: string): string | null
  /**
   * The answer; null when it is neither kept nor to be had by reading alone, or the caller may not
   * have it: then the routes decide.
   */
  find(target: string, principal: Principal): ReadyBody | Promise<ReadyBody> | null
}

export interface ReadyDoorOptions {
  readonly basePath: string
  readonly hosts: AllowedHosts
  readonly credentials: {
    rememberedOn(connection: object, authorization: string): Principal | null
  }
  readonly answers: ReadyAnswers
  readonly metrics: RequestMetrics
  /** Addresses of proxies that say truly where a request comes from. */
  readonly trustedProxies: readonly string[]
  readonly log: Log
}

/** Any other way to name a host has to be looked at closely, as is done for all other requests. */
const PLAIN_HOST = /^[a-z0-9._-]+(:\d{1,5})?$/

/**
 * Stands before everything else: lets known callers have what is ready, or has only to be read. What
 * stands on the line is enough for that, so such an answer costs a few look-ups and is written as it
 * is kept. It is counted and named like any other; being a GET that nobody is refused, it is not noted.
 */
export function openReadyDoor(options: ReadyDoorOptions): AnswerReady {
  const { basePath, hosts, answers, metrics } = options
  const answerLater = openLaterDoor(options)
  return (connection) => {
    const { method, url = '', headers } = connection.incoming
    if (method !== 'GET' || !url.startsWith(basePath)) return false
    const target = url.slice(basePath.length)
    const route = answers.routeOf(target)
    if (route === null || !PLAIN_HOST.test(headers.host ?? '')) return false
    if (!hosts.includes(headers.host)) return false
    const began = performance.now()
    const principal = callerOf(options, connection.incoming)
    const body = principal && answers.find(target, principal)
    if (principal === null || body === null) return false
    metrics.begin()
    const form = formOf(body, headers)
    if (form instanceof Promise) return answerLater(form, { connection, route, principal, began })
    send(connection, form, requestIdOf(headers[REQUEST_ID]))
    metrics.end(route, form.status, (performance.now() - began) / 1_000)
    return true
  }
}

interface Waiting {
  readonly connection: HttpBindings
  readonly route: string
  readonly principal: Principal
  readonly began: number
}

/** Sends what is not ready yet as soon as it is. What fails here fails in the routes as well, which tell of it. */
function openLaterDoor({ metrics, trustedProxies, log }: ReadyDoorOptions) {
  const proxies = new Set(trustedProxies)
  const leave = () => {
    metrics.giveUp()
    return false
  }
  return (form: Promise<ReadyForm>, waiting: Waiting): Promise<boolean> => {
    const { connection, route, began } = waiting
    const exchange = new Exchange(null, connection, proxies)
    exchange.route = route
    exchange.principal = waiting.principal
    const answer = (ready: ReadyForm) => {
      send(connection, ready, exchange.id)
      const took = performance.now() - began
      metrics.end(route, ready.status, took / 1_000)
      const { method = '', url = '' } = connection.incoming
      if (took > SLOW) tell(log, { method, path: url, exchange, status: ready.status, took })
      return true
    }
    return form.then(answer, leave)
  }
}

function formOf(
  body: ReadyBody | Promise<ReadyBody>,
  headers: HttpBindings['incoming']['headers'],
): ReadyForm | Promise<ReadyForm> {
  if (body instanceof Promise) return body.then((read) => read.formFor(headers))
  return body.formFor(headers)
}

function callerOf(
  { credentials }: ReadyDoorOptions,
  { headers, socket }: HttpBindings['incoming'],
): Principal | null {
  const { authorization } = headers
  return authorization === undefined ? null : credentials.rememberedOn(socket, authorization)
}

/**
 * Node is much quicker with all headers at once than with one that was set before, and with a body
 * that is on its way when the answer ends: after one that is not it writes another, empty piece.
 */
function send({ incoming, outgoing }: HttpBindings, form: ReadyForm, id: string): void {
  endRequest(incoming)
  const line = form.line.slice()
  line.push(REQUEST_ID, id)
  outgoing.writeHead(form.status, line)
  outgoing.cork()
  if (form.text !== null) outgoing.write(form.text, 'latin1')
  else if (form.bytes !== null) outgoing.write(form.bytes)
  outgoing.uncork()
  outgoing.end(form.whenSent ?? undefined)
}

/**
 * A request without a body has nothing to be read. Node does not know that before it is asked for
 * it, and takes four turns to throw nothing away.
 */
function endRequest(incoming: HttpBindings['incoming']): void {
  const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers
  if (length === undefined && coding === undefined) incoming.read()
}
