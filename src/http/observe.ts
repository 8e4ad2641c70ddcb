import { performance } from 'node:perf_hooks'
import type { Log, LogEvent, LogLevel } from '../lib/log.ts'
import type { RequestMetrics } from '../core/service/request-metrics.ts'
import { AddressList } from './address-list.ts'
import { RequestContext } from './request-context.ts'
import type { Connection } from './listen.ts'

export interface ObserveOptions {
  readonly answer: (request: Request, context: RequestContext) => Response | Promise<Response>
  readonly basePath: string
  readonly metrics: RequestMetrics
  /** The position of this server in the shared log; null where there is none. */
  readonly sequence: (() => number) | null
  /**
   * Records an action or its refusal; null for a request that is no action, and for a repetition
   * that is only counted.
   */
  readonly audit: (
    request: Request,
    context: RequestContext,
    response: Response,
  ) => Promise<void> | null
  /** Addresses of proxies that are trusted to name the client. */
  readonly trustedProxies: readonly string[]
  readonly log: Log
  /** At `debug`, the start and the end of every request are logged. */
  readonly logLevel: LogLevel
}

/** Answers requests over a connection, and requests of this process, which have none. */
export type ObservedHandler = (
  request: Request,
  connection?: Connection,
) => Response | Promise<Response>

/** An answer that took longer is logged, in milliseconds. */
const SLOW_AFTER_MS = 5_000

/**
 * Wraps everything that answers: gives each request its id, measures it, and has every action noted
 * before its answer goes out.
 */
export function observe(options: ObserveOptions): ObservedHandler {
  const { answer, basePath, metrics, sequence } = options
  const proxies = new AddressList(options.trustedProxies)
  return (request, connection) => {
    const context = new RequestContext(request, connection ?? null, { basePath, proxies, sequence })
    const began = performance.now()
    if (options.logLevel === 'debug') traceStart(options.log, request, context)
    metrics.begin()
    const answered = answer(request, context)
    return answered instanceof Promise
      ? answered.then((response) => ended(options, request, { context, response, began }))
      : ended(options, request, { context, response: answered, began })
  }
}

interface Ended {
  readonly context: RequestContext
  readonly response: Response
  readonly began: number
}

function ended(
  { metrics, audit, log, logLevel }: ObserveOptions,
  request: Request,
  { context, response, began }: Ended,
): Response | Promise<Response> {
  const took = performance.now() - began
  const { status } = response
  context.setHeaders()
  metrics.end(context.route?.name ?? '', status, took / 1_000)
  const noted = audit(request, context, response)
  const isNotable =
    noted !== null || status >= 500 || (took > SLOW_AFTER_MS && context.route?.isHeld !== true)
  if (isNotable || logLevel === 'debug') {
    const answered = { method: request.method, path: pathOf(request), context, status, took }
    logAnswer(log, answered, isNotable ? 'info' : 'debug')
  }
  return noted === null ? response : noted.then(() => response)
}

/** The path without the query: searches are private, and stay out of the log. */
function pathOf(request: Request): string {
  return new URL(request.url).pathname.slice(0, 500)
}

function traceStart(log: Log, request: Request, { id, address }: RequestContext): void {
  const facts = { request: id, method: request.method, path: pathOf(request), address }
  log({ level: 'debug', message: 'A request began', facts })
}

/** The facts logged about an answered request. */
interface Answered {
  readonly method: string
  readonly path: string
  readonly context: RequestContext
  readonly status: number
  /** Milliseconds. */
  readonly took: number
}

function logAnswer(
  log: Log,
  { method, path, context, status, took }: Answered,
  level: LogEvent['level'] = 'info',
): void {
  const { id, address, principal, route, reason } = context
  const facts = {
    request: id,
    method,
    path: path.slice(0, 500),
    route: route?.name ?? '',
    status,
    ms: Math.round(took),
    user: principal.username,
    ...(principal.credential?.kind === 'token' ? { token: principal.credential.id } : {}),
    address,
    ...(reason === null ? {} : { reason }),
  }
  log({ level: status >= 500 ? 'error' : level, message: 'A request was answered', facts })
}
