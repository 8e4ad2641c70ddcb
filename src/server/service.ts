import type { Hono } from 'hono'
import { AGENT_CALLS } from '../wire/agent-paths.ts'
import type { AgentCallsDeps } from '../agents/contact.ts'
import type { Log, LogLevel } from '../lib/log.ts'
import type { RequestMetrics } from '../core/request-metrics.ts'
import type { Audit } from '../notify/audit/audit.ts'
import { AllowedHosts } from '../http/allowed-hosts.ts'
import { agentProtocolRoutes } from '../api/agents/agent-protocol-routes.ts'
import { type AgentRoutesOptions, agentRoutes } from '../api/agents/agent-routes.ts'
import { type AgentWorkOptions, agentWorkRoutes } from '../api/agents/agent-work-routes.ts'
import { auditRequests } from '../api/audited-action.ts'
import { auditResource } from '../api/service/audit-routes.ts'
import { configChangesRoutes } from '../api/configuration/config-changes-routes.ts'
import { type ConfigRoutesOptions, configRoutes } from '../api/configuration/config-routes.ts'
import {
  type ConfigSavingOptions,
  configSavingRoutes,
} from '../api/configuration/config-saving-routes.ts'
import { authenticate, type AuthenticateOptions } from '../http/authenticate.ts'
import { type FileRoutesOptions, fileRoutes, isFileCallOfAgent } from '../api/builds/file-routes.ts'
import { type AnswerFailure, answerInJson } from '../http/failure.ts'
import { type GitRoutesOptions, gitRoutes } from '../api/git/git-routes.ts'
import { type HealthRoutesOptions, healthResource } from '../api/service/health-routes.ts'
import { isForPage } from '../http/interface-paths.ts'
import type { Handler } from '../http/listen.ts'
import { type MetricsOptions, metricsResource } from '../api/service/metrics-routes.ts'
import { observe } from '../http/observe.ts'
import type { PageService, PageServiceOptions } from './page-service.ts'
import {
  type PipelineCreationOptions,
  pipelineCreationRoutes,
} from '../api/configuration/pipeline-creation-routes.ts'
import {
  type PlainSecretRoutesOptions,
  plainSecretRoutes,
} from '../api/configuration/plain-secret-routes.ts'
import { type PipelineRoutesOptions, pipelineRoutes } from '../api/builds/pipeline-routes.ts'
import type { RouteEnv } from '../http/request-context.ts'
import { type RestoreRoutesOptions, restoreRoutes } from '../api/configuration/restore-routes.ts'
import { type Answer, composeRoutes } from './routes.ts'
import { conditionalGets } from '../http/conditional-get.ts'
import { type StageRoutesOptions, stageRoutes } from '../api/builds/stage-routes.ts'
import { type WatchRoutesOptions, watchRoutes } from '../api/configuration/watch-routes.ts'

export interface HttpServiceOptions
  extends
    ConfigRoutesOptions,
    ConfigSavingOptions,
    RestoreRoutesOptions,
    PlainSecretRoutesOptions,
    PipelineCreationOptions,
    AgentRoutesOptions,
    AgentCallsDeps,
    AgentWorkOptions,
    PipelineRoutesOptions,
    StageRoutesOptions,
    FileRoutesOptions,
    HealthRoutesOptions,
    GitRoutesOptions,
    WatchRoutesOptions,
    MetricsOptions,
    PageServiceOptions {
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
  const parts = callsOf(options)
  let pages: Promise<PageService> | null = null
  const loadPages = () =>
    (pages ??= import('./page-service.ts').then(({ pageService }) =>
      pageService(options, parts, answerFailure),
    ))
  const answerFailure: AnswerFailure = (...failed) => {
    if (!isForPage(failed[0], basePath)) return answerInJson(...failed)
    return loadPages().then((loaded) => loaded.answerFailure(...failed))
  }
  const otherwise: Answer = async (...asked) => (await loadPages()).answer(...asked)
  const routes = composeRoutes({ log, parts, otherwise, answerFailure })
  const answer = authenticate({
    hosts: new AllowedHosts(options.hostNames),
    credentials,
    isPublic,
    isForUsersToo: (path) => path === '/health',
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

/** What programs call. */
function callsOf(options: HttpServiceOptions): Hono<RouteEnv>[] {
  return [
    healthResource.mount(options),
    configRoutes(options),
    metricsResource.mount(options),
    auditResource.mount(options),
    configChangesRoutes(options),
    watchRoutes(options),
    configSavingRoutes(options),
    restoreRoutes(options),
    plainSecretRoutes(options),
    pipelineCreationRoutes(options),
    conditionalGets(agentRoutes(options)),
    agentProtocolRoutes(options),
    agentWorkRoutes(options),
    conditionalGets(pipelineRoutes(options)),
    conditionalGets(stageRoutes(options)),
    conditionalGets(fileRoutes(options)),
    gitRoutes(options),
  ]
}

/** What is answered without a user: health, what pages load, the way out, and the calls that carry an agent's token. */
function isPublic(path: string, request: Request): boolean {
  const open = /^\/(health|health\/.*|log-out|assets\/.*)$/.test(path)
  return open || path.startsWith(AGENT_CALLS) || isFileCallOfAgent(path, request)
}
