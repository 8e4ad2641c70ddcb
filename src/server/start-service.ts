import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { SecretBox } from '../document/secrets/secret-box.ts'
import { allOf } from '../lib/all-of.ts'
import { isDiskFull } from '../core/faults.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import { RequestMetrics } from '../core/request-metrics.ts'
import { Listening } from '../http/listen.ts'
import { httpService } from './service.ts'
import { openLogin } from './open-access.ts'
import { openBuilds } from './open-builds.ts'
import { openConfig } from './open-configuration.ts'
import { openFollowers } from './open-notifications.ts'
import type { BootContext, BootEnvironment } from './boot-context.ts'
import { Resources } from '../lib/resources.ts'
import { createFirstUser } from '../security/first-user.ts'
import { openSecretKeys } from '../security/secret-keys.ts'
import { autoRegisterKeys } from '../agents/auto-register-key.ts'
import { RefusedMachines } from '../agents/refused-machines.ts'
import { RegistrationLimits } from '../agents/registration-limits.ts'
import { Audit } from '../notify/audit/audit.ts'
import { noteRevisions } from '../notify/audit/note-revisions.ts'
import { assertRestored } from '../operations/backup/unfinished-restore.ts'
import { RunGroups } from '../builds/runs/run-groups.ts'
import { findFullDisks, isOnFullDisk } from '../health/disk-room.ts'
import { assertNothingLost, type ServiceFiles } from '../operations/lost-files.ts'
import { ServiceMetrics } from '../health/service-metrics.ts'
import { LineOriginsCache } from '../pages/revisions/line-origins.ts'
import { PageThread } from '../pages/work/page-thread.ts'
import { RevisionDetailsCache } from '../pages/revisions/revision-details.ts'
import { RevisionWatch } from '../notify/revision-watch.ts'
import { assertSeparate } from '../operations/separate-folders.ts'
import type { ServeSettings } from '../settings.ts'
import { openProcessLock } from '../storage/process-lock.ts'
import { freeReserve, makeReserve } from '../storage/reserve.ts'
import { VERSION } from './version.ts'

/** A running service. Disposing it finishes the requests in flight, then lets go of everything. */
export interface Server extends AsyncDisposable {
  readonly url: string
  /** The file with the password of the first user, when one was generated now. */
  readonly passwordFile: string | null
}

/** Opens everything that the settings name, and listens. */
export async function openServer(
  settings: ServeSettings,
  surroundings: BootEnvironment,
): Promise<Server> {
  const reserved = reservedFolders(settings)
  try {
    return await openOnce(settings, surroundings)
  } catch (error) {
    // SQLite says of some of its files only that they cannot be written.
    if (!isDiskFull(error) && !reserved.some(isOnFullDisk)) throw error
    await allOf(reserved.map(freeReserve))
    return await openOnce(settings, surroundings)
  }
}

async function openOnce(settings: ServeSettings, surroundings: BootEnvironment): Promise<Server> {
  const resources = new Resources()
  try {
    const stateDir = await openStateDir(settings, { resources, log: surroundings.log })
    const server = await open({ settings, environment: surroundings, resources, stateDir })
    await allOf(reservedFolders(settings).map(makeReserve))
    return server
  } catch (error) {
    await resources[Symbol.asyncDispose]()
    throw error
  }
}

/** Each may be on a disk of its own. */
function reservedFolders(settings: ServeSettings): string[] {
  return [resolve(settings['state-dir']), join(resolve(settings['config-repo']), '.git', 'cairn')]
}

async function openStateDir(
  settings: ServeSettings,
  { resources, log }: { resources: Resources; log: Log },
): Promise<string> {
  const stateDir = resolve(settings['state-dir'])
  await assertSeparate({ stateDir, repository: resolve(settings['config-repo']) })
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  resources.own(await openProcessLock(join(stateDir, 'lock'), log))
  await assertRestored(stateDir)
  return stateDir
}

async function open(opening: BootContext): Promise<Server> {
  const { settings, environment: surroundings, resources } = opening
  const { log } = surroundings
  const parts = await openParts(opening)
  const service = serviceOf(opening, parts)
  const listening = resources.own(await Listening.open(service.answer, { ...settings, log }))
  resources.own(parts.watch)
  parts.login.reportLogin()
  parts.entities.begin()
  inBackground(log, 'The pages could not be loaded', service.loadPages())
  // Who waits for work or for revisions is answered first, so that the requests in flight can end.
  resources.own(parts.builds.dispatcher)
  // Whoever waits for a poll of a material hears that it failed.
  resources.own(parts.triggers)
  const url = `http://${hostOf(settings.host)}:${listening.port}${settings['base-path']}`
  const { passwordFile } = parts
  return { url, passwordFile, [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose]() }
}

async function openParts(opening: BootContext) {
  const { settings, environment: surroundings, resources, stateDir } = opening
  const { clock, log } = surroundings
  const audit = await openAudit(opening)
  if (!settings['begin-anew']) await assertNothingLost(filesOf(opening))
  const usersFile = resolve(settings['users-file'] ?? join(stateDir, 'users.htpasswd'))
  const passwordFile = join(stateDir, 'admin.password')
  const isGenerated = await createFirstUser({
    usersFile,
    passwordFile,
    password: settings['admin-password'],
  })
  const box = new SecretBox(await openSecretKeys(join(stateDir, 'secret.keys')))
  const opened = await openConfig(opening, box)
  const { config } = opened
  const { history, configuration } = config
  const running = await openBuilds(opening, config, box)
  const refused = new RefusedMachines({ clock })
  await opened.secretAlarm.open(running.store)
  noteRevisions(history, audit, log)
  const login = await openLogin({ usersFile, configuration, clock, log, resources })
  const watch = new RevisionWatch({ history, access: login.access })
  const { repository } = opened
  const followers = await openFollowers(opening, { history, store: running.store, repository })
  const file = isGenerated ? passwordFile : null
  const own = { audit, refused, login, watch, box, passwordFile: file }
  return { ...opened, ...running, ...followers, ...own }
}

type Parts = Awaited<ReturnType<typeof openParts>>

function filesOf({ settings, environment: { programPath }, stateDir }: BootContext): ServiceFiles {
  const repository = resolve(settings['config-repo'])
  return { repository, fileName: settings['config-file'], stateDir, programPath }
}

async function openAudit({
  settings,
  environment: surroundings,
  resources,
  stateDir,
}: BootContext): Promise<Audit> {
  const { clock, log } = surroundings
  const folder = join(stateDir, 'audit')
  const largest = settings['max-audit']
  return resources.own(await Audit.open({ folder, largest, clock, log }))
}

function serviceOf(opening: BootContext, parts: Parts) {
  const { settings, environment: surroundings } = opening
  const { config, builds, login } = parts
  return httpService({
    ...parts,
    ...login,
    ...observation(opening, parts),
    ...pages(opening, parts),
    cache: config.cache,
    diff: config.diff,
    secretsIn: config.readable.secretsIn,
    merge: config.merge,
    summary: config.summary,
    writer: config.writer,
    editor: config.editor,
    ...admission(opening, parts),
    builds: builds.builds,
    plans: builds.plans,
    pipelines: builds.pipelines,
    running: builds.running,
    jobs: builds.jobs,
    waiting: builds.waiting,
    desk: builds.dispatcher,
    fetchesOf: (uuid) => builds.dispatcher.fetchesOf(uuid),
    uploads: builds.uploads,
    quota: builds.quota,
    artifactsDir: builds.artifactsDir,
    lines: builds.lines,
    runGroups: new RunGroups(config),
    placeOf: (uuid) => builds.jobs.placeOf(uuid),
    clock: surroundings.clock,
    log: surroundings.log,
    basePath: settings['base-path'],
    clientNames: settings['client-names'],
    maxBody: settings['max-body'],
    trustedProxies: settings['trusted-proxies'],
    logLevel: settings['log-level'],
    hostNames: hostNamesOf(settings),
  })
}

/** Which machines may become agents. */
function admission(
  { settings, environment: surroundings }: BootContext,
  { config, directory }: Parts,
) {
  const judgeKey = autoRegisterKeys(settings['auto-register-key'], config.configuration)
  const { clock } = surroundings
  return { judgeKey, registrations: new RegistrationLimits({ directory, clock, judgeKey }) }
}

/** What the service tells of itself. */
function observation({ resources, stateDir }: BootContext, parts: Parts) {
  const { audit, builds, config, directory, mirror, poller, secretAlarm, webhooks } = parts
  const requests = new RequestMetrics()
  const disks = [
    { what: 'the configuration', folder: parts.repository },
    { what: 'the state', folder: stateDir },
  ]
  const health = {
    history: config.history,
    version: VERSION,
    auditProblem: () => audit.problem(),
    diskProblems: () => findFullDisks(disks),
    buildProblems: () => builds.problems(),
    artifactUse: () => builds.quota.use(),
    agentProblems: () => parts.refused.problems(),
    identityProblems: () => config.identity.problems(),
    stuckJobs: () => builds.waiting.problems(),
    secretProblems: () => secretAlarm.problems(),
    materialProblems: () => poller.problems(),
    webhooks: () => webhooks.states(),
    mirror,
  }
  const { writer } = config
  const counted = { writer, builds: builds.builds, running: builds.running, requests, directory }
  const metrics = resources.own(new ServiceMetrics({ ...health, ...counted }))
  return { ...health, requests, metrics }
}

/** What pages need and keep beside the calls. */
function pages({ environment: surroundings, resources }: BootContext, { config, entities }: Parts) {
  const { history, script } = config
  const { clock } = surroundings
  const work = resources.own(new PageThread(config))
  const { compare, outline } = work
  const details = new RevisionDetailsCache({ entities, history, script, clock })
  const origins = resources.own(new LineOriginsCache(config))
  return { script, work, compare, outline, details, origins }
}

/** The names that operators have given to this machine and this service. */
function hostNamesOf(settings: ServeSettings): string[] {
  const { host, 'public-url': publicUrl, 'allowed-hosts': others } = settings
  const named = publicUrl === null ? [] : [new URL(publicUrl).hostname]
  return [hostname(), host, ...named, ...others]
}

/** A host as it stands in a URL: IPv6 addresses in brackets. */
function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
