import { hostname } from 'node:os'
import { autoRegisterKeys } from '../agents/secrets.ts'
import { RegistrationLimits } from '../agents/registration-limits.ts'
import { EffectivePipelines } from '../builds/runs/effective-pipelines.ts'
import { NewestRuns } from '../builds/runs/newest-runs.ts'
import { RunGroups } from '../builds/runs/run-groups.ts'
import { Unsupported } from '../builds/runs/unsupported.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { findFullDisks } from '../health/disk-room.ts'
import type { HealthDeps } from '../health/health.ts'
import { type CountedWork, ServiceMetrics } from '../health/service-metrics.ts'
import type { KnownUser } from '../security/permissions.ts'
import { SessionCookie } from '../http/session-cookie.ts'
import type { ServeSettings } from '../settings/settings.ts'
import type { FollowerServiceOptions, HttpServiceOptions } from './service.ts'
import type { ServiceContext, SharedContext } from './service-context.ts'
import { VERSION } from './version.ts'

/** The dependencies of the API and the pages. */
export function httpOptions(context: ServiceContext): HttpServiceOptions {
  const { settings, environment, agents, builds, configuration } = context
  const { config } = configuration
  const { clock } = environment
  const { directory, registrar, refused } = agents
  const judgeKey = autoRegisterKeys(settings['auto-register-key'], config.configuration)
  const health = { ...sharedHealth(context), ...healthOfDuties(context) }
  const runGroups = new RunGroups(config)
  const { access } = context.access
  return {
    ...sharedOptions(context),
    ...health,
    metrics: openMetrics(context, health, {
      builds: builds.builds,
      running: builds.running,
      directory,
    }),
    readState: () => builds.builds.pipelineHistory('', 0),
    holding: builds,
    directory,
    registrar,
    refused,
    judgeKey,
    invited: context.access.invitations,
    registrations: new RegistrationLimits({ directory, clock, judgeKey }),
    builds: builds.builds,
    plans: builds.plans,
    pipelines: builds.pipelines,
    running: builds.running,
    jobs: builds.jobs,
    waiting: builds.waiting,
    unsupported: builds.unsupported,
    stranded: builds.stranded,
    dispatcher: builds.dispatcher,
    fetchesOf: (uuid) => builds.dispatcher.fetchesOf(uuid),
    uploads: builds.uploads,
    quota: builds.quota,
    artifactsDir: builds.artifactsDir,
    lines: builds.lines,
    runGroups,
    state: { directory, runs: { access, builds: builds.builds, runGroups } },
    newestRuns: new NewestRuns(builds.builds),
    placeOf: (uuid) => builds.jobs.placeOf(uuid),
    triggers: context.triggers,
    planStarts: (pipelines) => context.triggers.planStarts(pipelines),
    whyForbidden: (material) => context.poller.whyForbidden(material),
    permissionChanges: (...between) => access.changesBy(...between),
  }
}

/** The same for a server while another one has the duties. */
export function followerOptions(context: SharedContext, cluster: Cluster): FollowerServiceOptions {
  const pipelines = new EffectivePipelines(context.configuration.config.configuration)
  const unsupported = new Unsupported({ pipelines, secrets: context.box })
  const health = {
    ...sharedHealth(context),
    ...NO_DUTIES,
    unsupportedParts: () => unsupported.problems(),
  }
  return {
    ...sharedOptions(context),
    ...health,
    metrics: openMetrics(context, health, null),
    readState: () => cluster.assertThere(),
    holding: null,
    pipelines,
    state: null,
    duties: { cluster, log: context.environment.log },
  }
}

function sharedOptions(context: SharedContext) {
  const { settings, environment, configuration, access, cluster } = context
  const { config } = configuration
  const { clock, log } = environment
  return {
    ...context.pageWork,
    credentials: access.credentials,
    tokens: access.tokens,
    sessions: access.sessions,
    oidc: access.oidc,
    invitations: access.invitations,
    accounts: access.accounts,
    identityStore: context.identityStore,
    standingOf: (user: KnownUser) => access.access.standingOf(user),
    sessionCookie: new SessionCookie({
      basePath: settings['base-path'],
      publicUrl: settings['public-url'],
    }),
    explain: (user: KnownUser) => access.access.explain(user),
    access: access.access,
    everyoneAdministers: access.everyoneAdministers,
    audit: context.audit,
    requests: context.requests,
    sequence: cluster,
    writeState: () => cluster?.assertWritable() ?? Promise.resolve(),
    origins: configuration.index.origins,
    cache: config.cache,
    diff: config.diff,
    secretsIn: config.readable.secretsIn,
    merge: config.merge,
    summary: config.summary,
    writer: config.writer,
    editor: config.editor,
    box: context.box,
    entities: configuration.index.entities,
    texts: configuration.index.texts,
    secretAlarm: configuration.secretAlarm,
    git: configuration.git,
    repository: configuration.repository,
    fileName: configuration.fileName,
    watch: context.watch,
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

/** The part of the health check that only the leader can answer. */
type HealthOfDuties = Pick<
  HealthDeps,
  | 'mirror'
  | 'buildProblems'
  | 'artifactUse'
  | 'agentProblems'
  | 'stuckJobs'
  | 'unsupportedParts'
  | 'strandedStages'
  | 'materialProblems'
  | 'webhooks'
>

/** Obstacles and problems of any server, leader or not. */
function sharedHealth(context: SharedContext): Omit<HealthDeps, keyof HealthOfDuties> {
  const { places, audit, configuration, cluster } = context
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
    databaseProblems: () => cluster?.databaseProblems() ?? [],
    servers: () => cluster?.seen() ?? null,
    serverProblems: () => cluster?.serverProblems() ?? [],
    lagProblems: () => cluster?.lagProblems() ?? [],
    identityProblems: () => config.identity.problems(),
    userSources: () => context.access.userSources(),
    usersProblem: () => context.access.usersProblem(),
    secretProblems: () => secretAlarm.problems(),
  }
}

function healthOfDuties({
  agents,
  builds,
  mirror,
  poller,
  webhooks,
}: ServiceContext): HealthOfDuties {
  return {
    mirror,
    buildProblems: () => builds.problems(),
    artifactUse: () => builds.quota.use(),
    agentProblems: () => agents.refused.problems(),
    stuckJobs: () => builds.waiting.problems(),
    unsupportedParts: () => builds.unsupported.problems(),
    strandedStages: () => builds.stranded.problems(),
    materialProblems: () => poller.problems(),
    webhooks: () => webhooks.states(),
  }
}

const NO_DUTIES: Omit<HealthOfDuties, 'unsupportedParts'> = {
  mirror: null,
  buildProblems: () => [],
  artifactUse: () => ({ bytes: null, quota: null }),
  agentProblems: () => [],
  stuckJobs: () => [],
  strandedStages: () => [],
  materialProblems: () => [],
  webhooks: () => [],
}

function openMetrics(
  { configuration, requests, shutdown }: SharedContext,
  health: HealthDeps,
  work: CountedWork | null,
): ServiceMetrics {
  const { writer } = configuration.config
  const metrics = new ServiceMetrics({ ...health, writer, requests, work })
  return shutdown.own('stop-background-work', metrics)
}

/** The names that operators have given to this machine and this service. */
function hostNamesOf(settings: ServeSettings): string[] {
  const { host, 'public-url': publicUrl, 'allowed-hosts': others } = settings
  const named = publicUrl === null ? [] : [new URL(publicUrl).hostname]
  return [hostname(), host, ...named, ...others]
}
