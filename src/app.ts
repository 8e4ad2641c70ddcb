import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SecretBox } from './config/secrets/secret-box.ts'
import type { Clock } from './core/clock.ts'
import type { Log } from './core/log.ts'
import type { History } from './history/history.ts'
import { GitService } from './history/remote/git-service.ts'
import { RequestMetrics } from './core/request-metrics.ts'
import { Listening } from './http/listen.ts'
import { httpService } from './http/service.ts'
import { webhookCall } from './http/webhook-call.ts'
import { openLogin } from './login.ts'
import { Resources } from './resources.ts'
import { createFirstUser } from './security/first-user.ts'
import { openSecretKeys } from './security/secret-keys.ts'
import { Audit } from './services/audit/audit.ts'
import { noteRevisions } from './services/audit/note-revisions.ts'
import { ServiceMetrics } from './services/metrics/service-metrics.ts'
import { autoRegisterKeys } from './services/agents/auto-register-key.ts'
import { openAgents } from './services/agents/open-agents.ts'
import { assertRestored } from './services/backup/unfinished-restore.ts'
import { BuildServices } from './services/builds/build-services.ts'
import { Triggers } from './services/builds/triggers/triggers.ts'
import { ChangesFile } from './services/changes-file.ts'
import { ConfigServices } from './services/config-services.ts'
import { EntityIndex } from './services/entity-index.ts'
import { Mirror } from './services/mirror/mirror.ts'
import { LineOriginsCache } from './services/pages/line-origins.ts'
import { PageThread } from './services/pages/page-thread.ts'
import { RevisionDetailsCache } from './services/pages/revision-details.ts'
import { MaterialPoller } from './services/materials/material-poller.ts'
import { RevisionWatch } from './services/revision-watch.ts'
import { readWebhooksFile } from './services/webhooks/webhook-settings.ts'
import { Webhooks } from './services/webhooks/webhooks.ts'
import type { ServeSettings } from './settings.ts'
import { openSqliteState } from './state/open-sqlite.ts'
import { openProcessLock } from './storage/process-lock.ts'
import { VERSION } from './version.ts'

/** The part of the interval that passes before a material is polled for the first time. */
const FIRST_POLL = 1 / 12

/** A running service. Disposing it finishes the requests in flight, then lets go of everything. */
export interface Server extends AsyncDisposable {
  readonly url: string
  /** The password of the first user, when one was generated now. */
  readonly generatedPassword: string | null
}

export interface Surroundings {
  readonly clock: Clock
  readonly log: Log
  /** Where programs such as git are looked for. */
  readonly programPath: string | undefined
  /** The variables that the clients of version controls get. */
  readonly toolEnvironment: Readonly<Record<string, string>>
}

/** Opens everything that the settings name, and listens. */
export async function openServer(
  settings: ServeSettings,
  surroundings: Surroundings,
): Promise<Server> {
  const resources = new Resources()
  try {
    return await open(settings, surroundings, resources)
  } catch (error) {
    await resources[Symbol.asyncDispose]()
    throw error
  }
}

async function open(
  settings: ServeSettings,
  surroundings: Surroundings,
  resources: Resources,
): Promise<Server> {
  const stateDir = resolve(settings['state-dir'])
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  resources.own(await openProcessLock(join(stateDir, 'lock')))
  await assertRestored(stateDir)
  const { clock, log } = surroundings
  const audit = resources.own(
    await Audit.open({
      folder: join(stateDir, 'audit'),
      largest: settings['max-audit'],
      clock,
      log,
    }),
  )
  const usersFile = resolve(settings['users-file'] ?? join(stateDir, 'users.htpasswd'))
  const generatedPassword = await createFirstUser(usersFile, settings['admin-password'])
  const box = new SecretBox(await openSecretKeys(join(stateDir, 'secret.keys')))
  const places = repositoryOf(settings)
  const config = resources.own(
    await ConfigServices.open({
      ...places,
      ...surroundings,
      box,
      version: VERSION,
      pushCheck: pushCheckOf(places),
    }),
  )
  const git = await GitService.open({
    ...places,
    ...surroundings,
    history: config.history,
    pushCheck: pushCheckOf(places),
    report: surroundings.log,
    limit: settings['max-body'],
  })
  const entities = resources.own(
    new EntityIndex({
      history: config.history,
      summary: config.summary,
      file: new ChangesFile(join(stateDir, 'revision-changes')),
      log: surroundings.log,
    }),
  )
  const store = resources.own(await openSqliteState(join(stateDir, 'state.sqlite')))
  const { configuration, editor } = config
  const { directory, registrar } = await openAgents({
    store,
    configuration,
    editor,
    ...surroundings,
    timeout: settings['agent-timeout'],
  })
  const builds = resources.own(
    await BuildServices.open({
      ...surroundings,
      store,
      configuration,
      directory,
      secrets: box,
      stateDir,
      largestArtifact: settings['max-artifact'],
      agentTimeout: settings['agent-timeout'],
    }),
  )
  const poller = openPoller(settings, surroundings, box)
  const triggers = resources.own(
    new Triggers({
      ...surroundings,
      builds: builds.builds,
      pipelines: builds.pipelines,
      poller,
      retry: settings['material-interval'],
    }),
  )
  noteRevisions(config.history, audit)
  const requests = new RequestMetrics()
  const login = await openLogin({ usersFile, configuration, clock, resources })
  const watch = new RevisionWatch({ history: config.history, access: login.access })
  const webhooksFile = resolve(settings['webhooks-file'] ?? join(stateDir, 'webhooks.json'))
  const webhooks = resources.own(
    await Webhooks.open(await readWebhooksFile(webhooksFile), {
      ...surroundings,
      history: config.history,
      store,
      call: webhookCall({ clock, clientNames: settings['client-names'], version: VERSION }),
    }),
  )
  const basePath = settings['base-path']
  const health = {
    history: config.history,
    version: VERSION,
    auditProblem: () => audit.problem(),
    buildProblems: () => builds.problems(),
    materialProblems: () => poller.problems(),
    webhooks: () => webhooks.states(),
    mirror: openMirror(settings, surroundings, { resources, history: config.history }),
  }
  const metrics = resources.own(
    new ServiceMetrics({
      ...health,
      builds: builds.builds,
      running: builds.running,
      requests,
      directory,
    }),
  )
  const pageThread = resources.own(new PageThread(config))
  const handler = httpService({
    ...health,
    audit,
    metrics,
    requests,
    trustedProxies: settings['trusted-proxies'],
    ...login,
    watch,
    cache: config.cache,
    diff: config.diff,
    script: config.script,
    compare: pageThread.compare,
    outline: pageThread.outline,
    summary: config.summary,
    entities,
    fileName: settings['config-file'],
    git,
    repository: places.repository,
    details: new RevisionDetailsCache({
      entities,
      history: config.history,
      script: config.script,
      clock: surroundings.clock,
    }),
    origins: resources.own(new LineOriginsCache(config)),
    editor,
    box,
    directory,
    registrar,
    isAutoRegisterKey: autoRegisterKeys(settings['auto-register-key'], configuration),
    builds: builds.builds,
    plans: builds.plans,
    pipelines: builds.pipelines,
    running: builds.running,
    jobs: builds.jobs,
    desk: builds.desk,
    uploads: builds.uploads,
    artifactsDir: builds.artifactsDir,
    lines: builds.lines,
    triggers,
    locatorOf: (uuid) => builds.jobs.locatorOf(uuid),
    clock: surroundings.clock,
    basePath,
    clientNames: settings['client-names'],
    maxBody: settings['max-body'],
    log,
  })
  const listening = resources.own(await Listening.open(handler, settings))
  resources.own(watch)
  // Who waits for work or for revisions is answered first, so that the requests in flight can end.
  resources.own(builds.desk)
  // Whoever waits for a poll of a material hears that it failed.
  resources.own(triggers)
  const url = `http://${hostOf(settings.host)}:${listening.port}${basePath}`
  return { url, generatedPassword, [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose]() }
}

function openMirror(
  settings: ServeSettings,
  { toolEnvironment: environment, clock, log }: Surroundings,
  { resources, history }: { resources: Resources; history: History },
): Mirror | null {
  const { mirror: url } = settings
  if (url === null) return null
  const { repository } = repositoryOf(settings)
  return resources.own(new Mirror({ url, repository, history, environment, clock, log }))
}

function openPoller(
  settings: ServeSettings,
  { toolEnvironment: environment, log }: Surroundings,
  secrets: SecretBox,
): MaterialPoller {
  const interval = settings['material-interval']
  const folder = resolve(settings['state-dir'], 'materials')
  const first = interval * FIRST_POLL
  return new MaterialPoller({ folder, interval, first, environment, secrets, log })
}

function repositoryOf(settings: ServeSettings) {
  const {
    'config-repo': repository,
    'config-file': fileName,
    'poll-interval': pollInterval,
  } = settings
  return { repository: resolve(repository), fileName, pollInterval }
}

/** A host as it stands in a URL: IPv6 addresses in brackets. */
function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** The command that git runs for every push into the repository. */
function pushCheckOf({ repository, fileName }: { repository: string; fileName: string }): string[] {
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
  return [
    process.execPath,
    main,
    'check-push',
    '--config-repo',
    repository,
    '--config-file',
    fileName,
  ]
}
