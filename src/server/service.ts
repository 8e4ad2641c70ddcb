import type { AnswerMcp } from '../api/definition/api-context.ts'
import type { McpAnswers } from '../mcp/answer-mcp.ts'
import { AllowedHosts } from '../http/allowed-hosts.ts'
import { atLeast } from '../http/at-least.ts'
import { auditRequests } from '../api/audited-action.ts'
import { RouteAddresses } from '../api/route-addresses.ts'
import { RESOURCES, ROUTES } from '../api/resources.ts'
import { authenticate } from '../http/authenticate.ts'
import { type AnswerFailure, answerInJson } from '../http/failure.ts'
import { HeldCalls } from '../http/held-calls.ts'
import { withinRoom } from '../http/request-body.ts'
import { BodyRoom } from '../core/service/body-room.ts'
import { SessionCookie } from '../http/session-cookie.ts'
import { authorizationOf } from '../security/credentials.ts'
import { observe, type ObservedHandler } from '../http/observe.ts'
import type { AnswerRequest } from '../http/request-context.ts'
import { type AppContext, hostNamesOf } from './context.ts'
import { answerByLeader } from './forwarding.ts'
import type { PageService } from './page-service.ts'
import { composeRoutes, matcherOf } from './routes.ts'
import { VERSION } from './version.ts'

export interface HttpService {
  readonly answer: ObservedHandler
  /** Loads what is made for people; who asks for a page before that waits for it. */
  loadPages(): Promise<PageService>
}

/**
 * The whole HTTP service. Programs that call it need not wait until the pages are loaded. While
 * another server leads, that one answers what needs the leader.
 */
export function httpService(app: AppContext): HttpService {
  const { boot, site, identities, health, notify, log } = app
  const { cluster, settings } = boot
  const { basePath, publicUrl } = site
  const elsewhere = answerByLeader({ cluster, log })
  // The library of the protocol is loaded with the first message.
  let tools: Promise<McpAnswers> | null = null
  const loadTools = async () => {
    const { McpAnswers } = await import('../mcp/answer-mcp.ts')
    return new McpAnswers({ routes: ROUTES, answer: routes }, VERSION)
  }
  const answerMcp: AnswerMcp = async (...asked) => (await (tools ??= loadTools())).answer(...asked)
  const calls = RESOURCES.map((resource) => resource.mount({ ...app, answerMcp }, elsewhere))
  const isCall = matcherOf(calls)
  // The addresses of pages are known with the pages.
  let addresses = new RouteAddresses(ROUTES, [])
  let pages: Promise<PageService> | null = null
  let arePagesLoaded = false
  const loadPages = () => (pages ??= load())
  const load = async () => {
    const { pageService } = await import('./page-service.ts')
    const loaded = pageService(app, { calls, elsewhere, answerFailure })
    addresses = loaded.addresses
    arePagesLoaded = true
    return loaded
  }
  const isKnown = (path: string) => arePagesLoaded || isCall(path)
  const answerFailure: AnswerFailure = (...failed) => {
    const [request, , { path }] = failed
    const isForPage = () => addresses.isForPage(request, basePath)
    if (isKnown(path) && !isForPage()) return answerInJson(...failed)
    return loadPages().then((loaded) =>
      isForPage() ? loaded.answerFailure(...failed) : answerInJson(...failed),
    )
  }
  const otherwise: AnswerRequest = async (...asked) => (await loadPages()).answer(...asked)
  const routes = composeRoutes({ log, parts: calls, otherwise, answerFailure })
  const sessionCookie = new SessionCookie(site)
  const authenticated = authenticate({
    hosts: new AllowedHosts(hostNamesOf(boot)),
    credentials: identities.credentials,
    publicOrigin: publicUrl === null ? null : new URL(publicUrl).origin,
    sessionOf: (request) => sessionOf(sessionCookie, request),
    isForPage: (request) => addresses.isForPage(request, basePath),
    loginAddress: `${basePath}/login`,
    askToLogIn: async (request) => (await loadPages()).askToLogIn(request),
    isPublic: (path, request) => addresses.isPublic(path, request),
    isForUsersToo: (path) => addresses.isForUsersToo(path),
    answerFailure,
    answer: cluster === null ? routes : atLeast({ log: cluster, answerFailure, answer: routes }),
  })
  const answer: AnswerRequest = (request, context) =>
    isKnown(context.path)
      ? authenticated(request, context)
      : loadPages().then(() => authenticated(request, context))
  const room = new BodyRoom(settings['max-body'])
  const observed = observe({
    answer: new HeldCalls(answerFailure).around(withinRoom(room, answer)),
    basePath,
    audit: auditRequests(notify.audit),
    metrics: health.requests,
    sequence: cluster === null ? null : () => cluster.sequence(),
    trustedProxies: settings['trusted-proxies'],
    log,
    logLevel: settings['log-level'],
  })
  return { answer: observed, loadPages }
}

/** A session as one credential among the others; undefined where the request shows none. */
function sessionOf(cookie: SessionCookie, request: Request): string | undefined {
  const secret = cookie.read(request)
  return secret === null ? undefined : authorizationOf(secret)
}
