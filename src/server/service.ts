import type { Log, LogLevel } from '../lib/log.ts'
import type { RequestMetrics } from '../core/request-metrics.ts'
import type { Audit } from '../notify/audit/audit.ts'
import { AllowedHosts } from '../http/allowed-hosts.ts'
import { auditRequests } from '../api/audited-action.ts'
import { type ApiOptions, RESOURCES } from '../api/resources.ts'
import { authenticate, type AuthenticateOptions } from '../http/authenticate.ts'
import { type AnswerFailure, answerInJson } from '../http/failure.ts'
import { isForPage } from '../api/interface-paths.ts'
import { isForUsersToo, isPublic } from '../api/public-paths.ts'
import type { Handler } from '../http/listen.ts'
import { observe } from '../http/observe.ts'
import type { PageService, PageServiceOptions } from './page-service.ts'
import { type AnswerRequest, composeRoutes } from './routes.ts'

export interface HttpServiceOptions extends ApiOptions, PageServiceOptions {
  readonly credentials: AuthenticateOptions['credentials']
  readonly audit: Audit
  readonly requests: RequestMetrics
  readonly trustedProxies: readonly string[]
  /** The names that the service is known by, besides addresses and names without a dot. */
  readonly hostNames: readonly string[]
  readonly log: Log
  readonly logLevel: LogLevel
}

export interface HttpService {
  readonly answer: Handler
  /** Loads what is made for people; who asks for a page before that waits for it. */
  loadPages(): Promise<PageService>
}

/** The whole HTTP service. Programs that call it need not wait until the pages are loaded. */
export function httpService(options: HttpServiceOptions): HttpService {
  const { basePath, credentials, log, logLevel } = options
  const parts = RESOURCES.map((resource) => resource.mount(options))
  let pages: Promise<PageService> | null = null
  const loadPages = () =>
    (pages ??= import('./page-service.ts').then(({ pageService }) =>
      pageService(options, parts, answerFailure),
    ))
  const answerFailure: AnswerFailure = (...failed) => {
    if (!isForPage(failed[0], basePath)) return answerInJson(...failed)
    return loadPages().then((loaded) => loaded.answerFailure(...failed))
  }
  const otherwise: AnswerRequest = async (...asked) => (await loadPages()).answer(...asked)
  const routes = composeRoutes({ log, parts, otherwise, answerFailure })
  const answer = authenticate({
    hosts: new AllowedHosts(options.hostNames),
    credentials,
    isPublic,
    isForUsersToo,
    answerFailure,
    answer: routes,
  })
  const observed = observe({
    answer,
    basePath,
    audit: auditRequests(options.audit),
    metrics: options.requests,
    trustedProxies: options.trustedProxies,
    log,
    logLevel,
  })
  return { answer: observed, loadPages }
}
