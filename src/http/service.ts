import type { Hono } from 'hono'
import { AGENT_CALLS } from '../wire/agent-paths.ts'
import type { AgentCallsDeps } from '../services/agents/contact.ts'
import type { Log, LogLevel } from '../lib/log.ts'
import type { RequestMetrics } from '../core/request-metrics.ts'
import type { Audit } from '../services/audit/audit.ts'
import { AllowedHosts } from './allowed-hosts.ts'
import { agentProtocolRoutes } from './agent-protocol-routes.ts'
import { type AgentRoutesOptions, agentRoutes } from './agent-routes.ts'
import { type AgentWorkOptions, agentWorkRoutes } from './agent-work-routes.ts'
import { auditRequests } from './audited-action.ts'
import { auditRoutes } from './audit-routes.ts'
import { configChangesRoutes } from './config-changes-routes.ts'
import { type ConfigRoutesOptions, configRoutes } from './config-routes.ts'
import { type ConfigSavingOptions, configSavingRoutes } from './config-saving-routes.ts'
import { authenticate, type AuthenticateOptions } from './authenticate.ts'
import { type FileRoutesOptions, fileRoutes, isFileCallOfAgent } from './file-routes.ts'
import { type AnswerFailure, answerInJson } from './failure.ts'
import { type GitRoutesOptions, gitRoutes } from './git-routes.ts'
import { type HealthRoutesOptions, healthRoutes } from './health-routes.ts'
import { isForPage } from './interface-paths.ts'
import type { Handler } from './listen.ts'
import { type MetricsRoutesOptions, metricsRoutes } from './metrics-routes.ts'
import { observe } from './observe.ts'
import type { PageService, PageServiceOptions } from './page-service.ts'
import { type PipelineCreationOptions, pipelineCreationRoutes } from './pipeline-creation-routes.ts'
import { type PlainSecretRoutesOptions, plainSecretRoutes } from './plain-secret-routes.ts'
import { type PipelineRoutesOptions, pipelineRoutes } from './pipeline-routes.ts'
import type { RouteEnv } from './request-context.ts'
import { type RestoreRoutesOptions, restoreRoutes } from './restore-routes.ts'
import { type Answer, composeRoutes } from './routes.ts'
import { conditionalGets } from './conditional-get.ts'
import { type StageRoutesOptions, stageRoutes } from './stage-routes.ts'
import { type WatchRoutesOptions, watchRoutes } from './watch-routes.ts'

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
    MetricsRoutesOptions,
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
    healthRoutes(options),
    configRoutes(options),
    metricsRoutes(options),
    conditionalGets(auditRoutes(options)),
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
