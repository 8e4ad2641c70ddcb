import { performance } from 'node:perf_hooks'
import type { Log, LogEvent, LogLevel } from '../core/log.ts'
import type { RequestMetrics } from '../core/request-metrics.ts'
import { Exchange, REQUEST_ID } from './exchange.ts'
import type { Connection, Handler } from './listen.ts'
import { INERT } from './inert.ts'

export interface ObserveOptions {
  readonly answer: (request: Request, exchange: Exchange) => Response | Promise<Response>
  readonly metrics: RequestMetrics
  /** Notes what was done or refused; null for a request that is no action. */
  readonly audit: (request: Request, exchange: Exchange, response: Response) => Promise<void> | null
  /** Addresses of proxies that say truly where a request comes from. */
  readonly trustedProxies: readonly string[]
  readonly log: Log
  /** At `debug`, the start and the end of every request are logged. */
  readonly logLevel: LogLevel
}

/** An answer that took longer is told in the log, in milliseconds. */
const SLOW = 5_000

/**
 * Stands around everything that answers: gives each request its id, measures it, and has every
 * action noted before its answer goes out.
 */
export function observe(options: ObserveOptions): Handler {
  const { answer, metrics } = options
  const proxies = new Set(options.trustedProxies)
  return (request, connection?: Connection) => {
    const exchange = new Exchange(request, connection ?? null, proxies)
    const began = performance.now()
    if (options.logLevel === 'debug') traceStart(options.log, request, exchange)
    metrics.begin()
    const answered = answer(request, exchange)
    return answered instanceof Promise
      ? answered.then((response) => ended(options, request, { exchange, response, began }))
      : ended(options, request, { exchange, response: answered, began })
  }
}

interface Ended {
  readonly exchange: Exchange
  readonly response: Response
  readonly began: number
}

function ended(
  { metrics, audit, log, logLevel }: ObserveOptions,
  request: Request,
  { exchange, response, began }: Ended,
): Response | Promise<Response> {
  const took = performance.now() - began
  const { status } = response
  const outgoing = exchange.connection?.outgoing
  // Headers of the answer itself replace these.
  for (const [name, value] of INERT) outgoing?.setHeader(name, value)
  if (!exchange.isNamed) outgoing?.setHeader(REQUEST_ID, exchange.id)
  metrics.end(exchange.route, status, took / 1_000)
  const noted = audit(request, exchange, response)
  const isNotable = noted !== null || status >= 500 || (took > SLOW && !isHeld(exchange))
  if (isNotable || logLevel === 'debug') {
    const answered = { method: request.method, path: pathOf(request), exchange, status, took }
    tell(log, answered, isNotable ? 'info' : 'debug')
  }
  return noted === null ? response : noted.then(() => response)
}

/** A call for work is held until there is some. */
function isHeld({ route }: Exchange): boolean {
  return route.endsWith('/work')
}

/** The query stays out of the log: people search for what they like. */
function pathOf(request: Request): string {
  return new URL(request.url).pathname.slice(0, 500)
}

function traceStart(log: Log, request: Request, { id, address }: Exchange): void {
  const facts = { request: id, method: request.method, path: pathOf(request), address }
  log({ level: 'debug', message: 'A request began', facts })
}

/** What is told of a request that was answered. */
interface Answered {
  readonly method: string
  readonly path: string
  readonly exchange: Exchange
  readonly status: number
  /** Milliseconds. */
  readonly took: number
}

function tell(
  log: Log,
  { method, path, exchange, status, took }: Answered,
  level: LogEvent['level'] = 'info',
): void {
  const { id, address, principal, route, reason } = exchange
  const facts = {
    request: id,
    method,
    path: path.slice(0, 500),
    route,
    status,
    ms: Math.round(took),
    user: principal.username,
    address,
    ...(reason === null ? {} : { reason }),
  }
  log({ level: status >= 500 ? 'error' : level, message: 'A request was answered', facts })
}
