import { hostname } from 'node:os'
import { autoRegisterKeys } from '../agents/secrets.ts'
import { RegistrationLimits } from '../agents/registration-limits.ts'
import { RunGroups } from '../builds/runs/run-groups.ts'
import { RequestMetrics } from '../core/request-metrics.ts'
import { findFullDisks } from '../health/disk-room.ts'
import type { HealthDeps } from '../health/health.ts'
import { ServiceMetrics } from '../health/service-metrics.ts'
import { RevisionDetailsCache } from '../pages/revisions/revision-details.ts'
import { LineOriginsCache } from '../pages/revisions/line-origins.ts'
import { PageThread } from '../pages/work/page-thread.ts'
import type { ServeSettings } from '../settings.ts'
import type { HttpServiceOptions } from './service.ts'
import type { ServiceContext } from './service-context.ts'
import { VERSION } from './version.ts'

/** What calls and pages need of the service, each under the name that they know it by. */
export function httpOptions(context: ServiceContext): HttpServiceOptions {
  const { settings, environment, agents, builds, configuration, access } = context
  const { config } = configuration
  const { clock, log } = environment
  const { directory, registrar, refused } = agents
  const judgeKey = autoRegisterKeys(settings['auto-register-key'], config.configuration)
  return {
    ...healthOf(context),
    ...measured(context),
    ...forPages(context),
    credentials: access.credentials,
    access: access.access,
    everyoneAdministers: access.everyoneAdministers,
    audit: context.audit,
    cache: config.cache,
    diff: config.diff,
    secretsIn: config.readable.secretsIn,
    merge: config.merge,
    summary: config.summary,
    writer: config.writer,
    editor: config.editor,
    box: context.box,
    entities: configuration.entities,
    texts: configuration.texts,
    secretAlarm: configuration.secretAlarm,
    git: configuration.git,
    repository: configuration.repository,
    fileName: configuration.fileName,
    watch: context.watch,
    directory,
    registrar,
    refused,
    judgeKey,
    registrations: new RegistrationLimits({ directory, clock, judgeKey }),
    builds: builds.builds,
    plans: builds.plans,
    pipelines: builds.pipelines,
    running: builds.running,
    jobs: builds.jobs,
    waiting: builds.waiting,
    dispatcher: builds.dispatcher,
    fetchesOf: (uuid) => builds.dispatcher.fetchesOf(uuid),
    uploads: builds.uploads,
    quota: builds.quota,
    artifactsDir: builds.artifactsDir,
    lines: builds.lines,
    runGroups: new RunGroups(config),
    placeOf: (uuid) => builds.jobs.placeOf(uuid),
    triggers: context.triggers,
    planStarts: (pipelines) => context.triggers.planStarts(pipelines),
    permissionChanges: (...between) => access.access.changesBy(...between),
    configuration: config.configuration,
    clock,
    log,
    basePath: settings['base-path'],
    publicUrl: settings['public-url'],
    clientNames: settings['client-names'],
    maxBody: settings['max-body'],
    trustedProxies: settings['trusted-proxies'],
    logLevel: settings['log-level'],
    hostNames: hostNamesOf(settings),
  }
}

/** What keeps the service from serving, and what an operator should look at. */
function healthOf(context: ServiceContext): HealthDeps {
  const { places, agents, audit, builds, configuration, mirror, poller, webhooks } = context
  const { config, repository, secretAlarm } = configuration
  const disks = [
    { what: 'the configuration', folder: repository },
    { what: 'the state', folder: places.stateDir },
  ]
  return {
    history: config.history,
    version: VERSION,
    auditProblem: () => audit.problem(),
    diskProblems: () => findFullDisks(disks),
    buildProblems: () => builds.problems(),
    artifactUse: () => builds.quota.use(),
    databaseProblems: () => context.cluster?.problems() ?? [],
    agentProblems: () => agents.refused.problems(),
    identityProblems: () => config.identity.problems(),
    stuckJobs: () => builds.waiting.problems(),
    secretProblems: () => secretAlarm.problems(),
    materialProblems: () => poller.problems(),
    webhooks: () => webhooks.states(),
    mirror,
  }
}

function measured(context: ServiceContext) {
  const { agents, builds, configuration, shutdown } = context
  const { writer } = configuration.config
  const { directory } = agents
  const requests = new RequestMetrics()
  const counted = { writer, builds: builds.builds, running: builds.running, requests, directory }
  const metrics = new ServiceMetrics({ ...healthOf(context), ...counted })
  return { requests, metrics: shutdown.own('stop-background-work', metrics) }
}

/** What pages keep beside the calls. */
function forPages({ configuration, environment: { clock }, shutdown }: ServiceContext) {
  const { config, entities } = configuration
  const { history, script } = config
  const work = shutdown.own('stop-background-work', new PageThread(config))
  const { compare, outline } = work
  const details = new RevisionDetailsCache({ entities, history, script, clock })
  const origins = shutdown.own('stop-background-work', new LineOriginsCache(config))
  return { script, work, compare, outline, details, origins }
}

/** The names that operators have given to this machine and this service. */
function hostNamesOf(settings: ServeSettings): string[] {
  const { host, 'public-url': publicUrl, 'allowed-hosts': others } = settings
  const named = publicUrl === null ? [] : [new URL(publicUrl).hostname]
  return [hostname(), host, ...named, ...others]
}
