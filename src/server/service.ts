import type { Hono } from 'hono'
import type { Log, LogLevel } from '../lib/log.ts'
import type { RequestMetrics } from '../core/request-metrics.ts'
import type { Audit } from '../notify/audit/audit.ts'
import { AllowedHosts } from '../http/allowed-hosts.ts'
import { atLeast, type Sequence } from '../http/at-least.ts'
import { auditRequests } from '../api/audited-action.ts'
import {
  type ApiOptions,
  type ConfigurationApiOptions,
  ON_EVERY_SERVER,
  RESOURCES,
} from '../api/resources.ts'
import { authenticate, type AuthenticateOptions } from '../http/authenticate.ts'
import { type AnswerFailure, answerInJson } from '../http/failure.ts'
import { HeldCalls } from '../http/held-calls.ts'
import { isForPage } from '../api/interface-paths.ts'
import { isForUsersToo, isPublic } from '../api/public-paths.ts'
import type { SessionCookie } from '../http/session-cookie.ts'
import { authorizationOf } from '../security/credentials.ts'
import { observe, type ObservedHandler } from '../http/observe.ts'
import type { RouteEnv } from '../http/request-context.ts'
import { type Duties, dutiesOf, unlessNeeded } from './forwarding.ts'
import type { FollowerPagesOptions, PageService, PageServiceOptions } from './page-service.ts'
import { type AnswerRequest, composeRoutes } from './routes.ts'

/** The layers around the routes. */
interface SurroundingOptions {
  readonly basePath: string
  readonly credentials: AuthenticateOptions['credentials']
  /** The address that people use, as the operator gave it. */
  readonly publicUrl: string | null
  readonly sessionCookie: SessionCookie
  readonly audit: Audit
  readonly requests: RequestMetrics
  readonly trustedProxies: readonly string[]
  /** The names that the service is known by, besides addresses and names without a dot. */
  readonly hostNames: readonly string[]
  /** The log that several servers share; null where there is none. */
  readonly sequence: Sequence | null
  readonly log: Log
  readonly logLevel: LogLevel
}

export interface HttpServiceOptions extends ApiOptions, PageServiceOptions, SurroundingOptions {}

export interface FollowerServiceOptions
  extends ConfigurationApiOptions, Omit<FollowerPagesOptions, 'otherwise'>, SurroundingOptions {
  /** Where the server with the duties is. */
  readonly duties: Duties
}

export interface HttpService {
  readonly answer: ObservedHandler
  /** Loads what is made for people; who asks for a page before that waits for it. */
  loadPages(): Promise<PageService>
}

/** The whole HTTP service. Programs that call it need not wait until the pages are loaded. */
export function httpService(options: HttpServiceOptions): HttpService {
  const parts = RESOURCES.map((resource) => resource.mount(options))
  const load = async (answerFailure: AnswerFailure) => {
    const { pageService } = await import('./page-service.ts')
    return pageService(options, parts, answerFailure)
  }
  return surrounded(options, { parts, load })
}

/**
 * The service of a server that does not have the duties: what is about the configuration is answered
 * here, the rest by the server that has them.
 */
export function followerService(options: FollowerServiceOptions): HttpService {
  const duties = dutiesOf(options.duties)
  const own = ON_EVERY_SERVER.map((resource) => resource.mount(options))
  const load = async (answerFailure: AnswerFailure) => {
    const { followerPages } = await import('./page-service.ts')
    return followerPages({ ...options, otherwise: duties.answer }, answerFailure)
  }
  const around = (answer: AnswerRequest) => unlessNeeded(answer, duties.answer)
  return surrounded(options, { parts: [duties.routes, ...own], load, around })
}

interface Inner {
  readonly parts: readonly Hono<RouteEnv>[]
  readonly load: (answerFailure: AnswerFailure) => Promise<PageService>
  /** Stands before the routes. */
  readonly around?: (answer: AnswerRequest) => AnswerRequest
}

function surrounded(
  options: SurroundingOptions,
  { parts, load, around = (answer) => answer }: Inner,
): HttpService {
  const { basePath, publicUrl, credentials, sessionCookie, log, logLevel, sequence } = options
  let pages: Promise<PageService> | null = null
  const loadPages = () => (pages ??= load(answerFailure))
  const answerFailure: AnswerFailure = (...failed) => {
    if (!isForPage(failed[0], basePath)) return answerInJson(...failed)
    return loadPages().then((loaded) => loaded.answerFailure(...failed))
  }
  const otherwise: AnswerRequest = async (...asked) => (await loadPages()).answer(...asked)
  const routes = around(composeRoutes({ log, parts, otherwise, answerFailure }))
  const answer = authenticate({
    hosts: new AllowedHosts(options.hostNames),
    credentials,
    publicOrigin: publicUrl === null ? null : new URL(publicUrl).origin,
    sessionOf: (request) => sessionOf(sessionCookie, request),
    isForPage: (request) => isForPage(request, basePath),
    loginAddress: `${basePath}/login`,
    askToLogIn: async (request) => (await loadPages()).askToLogIn(request),
    isPublic,
    isForUsersToo,
    answerFailure,
    answer: sequence === null ? routes : atLeast({ log: sequence, answerFailure, answer: routes }),
  })
  const observed = observe({
    answer: new HeldCalls(answerFailure).around(answer),
    basePath,
    audit: auditRequests(options.audit),
    metrics: options.requests,
    sequence: sequence === null ? null : () => sequence.sequence(),
    trustedProxies: options.trustedProxies,
    log,
    logLevel,
  })
  return { answer: observed, loadPages }
}

/** A session as one credential among the others; undefined where the request shows none. */
function sessionOf(cookie: SessionCookie, request: Request): string | undefined {
  const secret = cookie.read(request)
  return secret === null ? undefined : authorizationOf(secret)
}
