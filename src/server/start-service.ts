import { hostname } from 'node:os'
import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'
import { SharedFiles } from '../cluster/shared-files.ts'
import { reasonOf } from '../core/errors.ts'
import { isDiskFull } from '../core/faults.ts'
import { isOnFullDisk } from '../health/disk-room.ts'
import { allOf } from '../lib/all-of.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import { commandEntriesIn } from '../notify/audit/command-entries.ts'
import { assertRestored } from '../operations/backup/unfinished-restore.ts'
import { assertMayBegin } from '../operations/first-start.ts'
import { assertStateMoved } from '../operations/lost-files.ts'
import { type StatePlaces, statePlaces } from '../operations/service-places.ts'
import { assertSeparate } from '../operations/separate-folders.ts'
import { readSecretKeys } from '../security/secret-keys.ts'
import type { ServeSettings } from '../settings/settings.ts'
import { removeAbandonedDrafts } from '../storage/durable-fs.ts'
import { realPath } from '../storage/folders.ts'
import { openProcessLock } from '../storage/process-lock.ts'
import { freeReserve, makeReserve } from '../storage/reserve.ts'
import type { BootContext, BootEnvironment } from './boot-context.ts'
import { type AppContext, openContext } from './context.ts'
import { Leadership } from './leadership.ts'
import { openLeader } from './open-leader.ts'
import { type HttpService, httpService } from './service.ts'
import { Shutdown } from './shutdown.ts'
import { VERSION } from './version.ts'
import { json } from '../http/errors.ts'
import { type Handler, Listening } from '../http/listen.ts'
import type { LivenessBody, ReadinessBody } from '../wire/health-body.ts'

/** Hosts that stand for every address of the machine, and for none elsewhere. */
const WILDCARDS: readonly string[] = ['0.0.0.0', '::']

/** A running service. Disposing it finishes the requests in flight, then closes everything. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string
  /** The file with the password of the first user, when one was generated now. */
  readonly passwordFile: string | null
  /** Aborted when this server cannot go on; the reason is a sentence. */
  readonly failed: AbortSignal
}

/** A service without a port: what is in this process calls it. */
export interface ServiceInProcess extends AsyncDisposable {
  readonly answer: (request: Request) => Promise<Response>
}

/** Settings of a service that shares no database: other servers reach one by its port alone. */
export type SettingsOfOne = ServeSettings & { readonly state: null }

/** Opens what is to run, from the folders that this process holds now. */
type Start<Started> = (boot: Omit<BootContext, 'cluster'>) => Promise<Started>

/** Opens everything that the settings name, and listens. */
export function openServer(
  settings: ServeSettings,
  environment: BootEnvironment,
): Promise<RunningServer> {
  return openWithRoom({ settings, environment }, async (boot) => {
    const port = new ServicePort(boot)
    return serve({ ...boot, cluster: await joinCluster(boot, port) }, port)
  })
}

/** Opens everything that the settings name but the port. */
export function openInProcess(
  settings: SettingsOfOne,
  environment: BootEnvironment,
): Promise<ServiceInProcess> {
  return openWithRoom({ settings, environment }, async (boot) => {
    const { app, lead } = await openApp({ ...boot, cluster: null })
    await lead()
    const service = httpService(app)
    begin(app, service)
    return {
      answer: async (request) => service.answer(request),
      [Symbol.asyncDispose]: () => boot.shutdown[Symbol.asyncDispose](),
    }
  })
}

type Wanted = Pick<BootContext, 'settings' | 'environment'>

/** A start on a full disk takes the room that is reserved. */
async function openWithRoom<Started>(wanted: Wanted, start: Start<Started>): Promise<Started> {
  const reserved = reservedFolders(wanted.settings)
  try {
    return await openOnce(wanted, start)
  } catch (error) {
    // SQLite says of some of its files only that they cannot be written.
    if (!isDiskFull(error) && !reserved.some(isOnFullDisk)) throw error
    await allOf(reserved.map(freeReserve))
    return await openOnce(wanted, start)
  }
}

async function openOnce<Started>(
  { settings, environment }: Wanted,
  start: Start<Started>,
): Promise<Started> {
  const shutdown = new Shutdown()
  try {
    const places = await openPlaces(settings, { shutdown, environment })
    const started = await start({ settings, environment, shutdown, places })
    await allOf(reservedFolders(settings).map(makeReserve))
    return started
  } catch (error) {
    await shutdown[Symbol.asyncDispose]()
    throw error
  }
}

/** Each may be on a disk of its own. */
function reservedFolders(settings: ServeSettings): string[] {
  return [resolve(settings['state-dir']), join(resolve(settings['config-repo']), '.git', 'cairn')]
}

async function openPlaces(
  settings: ServeSettings,
  { shutdown, environment: { log, programPath } }: Pick<BootContext, 'shutdown' | 'environment'>,
): Promise<StatePlaces> {
  const places = statePlaces(settings)
  const { stateDir } = places
  const repository = resolve(settings['config-repo'])
  await assertSeparate({ ...places, repository })
  await assertRestored(stateDir)
  // Several servers have the repository from their database.
  if (settings.state === null) {
    await assertMayBegin({ repository, fileName: settings['config-file'], programPath }, VERSION)
  }
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  shutdown.own('close-engines', await openProcessLock(join(stateDir, 'lock'), log))
  // Nothing else writes there from now on.
  await assertRestored(stateDir)
  inBackground(log, 'The drafts of crashed writers could not be removed', removeDrafts(places))
  return places
}

/** Commands write in these folders beside the service, and one that is killed leaves a draft. */
async function removeDrafts({ stateDir, usersFile, keysFile }: StatePlaces): Promise<void> {
  const files = await Promise.all([usersFile, keysFile].map(realPath))
  const folders = [stateDir, commandEntriesIn(stateDir), ...files.map(dirname)]
  await allOf([...new Set(folders)].map(removeAbandonedDrafts))
}

async function joinCluster(
  { settings, environment, shutdown, places }: Omit<BootContext, 'cluster'>,
  port: ServicePort,
): Promise<Cluster | null> {
  const { state: url, 'begin-anew': isAnew } = settings
  if (url === null) return null
  // Most servers share no database, so the code for that is loaded on demand.
  const { Cluster } = await import('../cluster/cluster.ts')
  const { clock, log, stop = new AbortController().signal } = environment
  const server = `${hostname()} (process ${process.pid})`
  const assertMayCreate = () => (isAnew ? Promise.resolve() : assertStateMoved(places))
  const assertFits = async (files: SharedFiles) => {
    if (isAnew) return
    files.assertKeys(await readSecretKeys(places.keysFile), places.keysFile)
    await files.assertArtifacts(places.artifactsDir)
  }
  const isMember = await SharedFiles.isMarked(places.artifactsDir)
  const onWait = () => port.answerWaiting()
  const joining = { url, server, assertMayCreate, assertFits, isMember, onWait, stop, clock, log }
  return shutdown.own('close-engines', await Cluster.join(joining))
}

async function serve(boot: BootContext, port: ServicePort): Promise<RunningServer> {
  const { settings, shutdown, cluster, environment } = boot
  const { log } = environment
  const { app, lead } = await openApp(boot)
  const isFollower = cluster !== null && !cluster.isLeading
  if (!isFollower) await lead()
  const service = httpService(app)
  const listening = await port.answerBy(service.answer)
  begin(app, service)
  const url = `http://${hostOf(settings.host)}:${listening.port}${settings['base-path']}`
  const failed = new AbortController()
  if (cluster !== null) {
    if (settings.advertise === null) warnOfWildcard(boot, url)
    await cluster.serve(settings.advertise ?? url, app.configuration.history)
    shutdown.own('stop-background-work', { [Symbol.asyncDispose]: () => cluster.leave() })
    failOn(cluster, failed)
    if (isFollower) shutdown.own('release-waiters', takeOver(cluster, { lead, failed, log }))
  }
  return {
    url,
    passwordFile: app.passwordFile,
    failed: failed.signal,
    [Symbol.asyncDispose]: () => shutdown[Symbol.asyncDispose](),
  }
}

/** Other servers take the address of the ready line for one that they can reach. */
function warnOfWildcard({ settings: { host }, environment: { log } }: BootContext, url: string) {
  if (!WILDCARDS.includes(host)) return
  const message = `Other servers cannot reach this one at ${url}: name an address with --advertise`
  log({ level: 'warning', message })
}

interface OpenedApp {
  readonly app: AppContext
  /** Opens what only the leader has. */
  readonly lead: () => Promise<void>
}

async function openApp(boot: BootContext): Promise<OpenedApp> {
  const leadership = new Leadership(boot.cluster)
  const app = await openContext(boot, leadership)
  return { app, lead: async () => leadership.take(await openLeader(app)) }
}

/** Begins what a service that can be called does by itself. */
function begin({ identities, index, log }: AppContext, service: HttpService): void {
  identities.reportLogin()
  index.begin()
  inBackground(log, 'The pages could not be loaded', service.loadPages())
}

function failOn({ superseded }: Cluster, failed: AbortController): void {
  const fail = () => failed.abort(superseded.reason)
  if (superseded.aborted) fail()
  else superseded.addEventListener('abort', fail)
}

/** Takes the lead when there is no leader any more. Disposing it ends the wait. */
function takeOver(
  cluster: Cluster,
  { lead, failed, log }: Pick<OpenedApp, 'lead'> & { failed: AbortController; log: Log },
): AsyncDisposable {
  const stop = new AbortController()
  const taking = cluster.waitForLease(stop.signal).then(async () => {
    log({ level: 'info', message: 'This server is the leader now' })
    await lead()
  })
  const taken = taking.catch((error: unknown) => {
    if (!stop.signal.aborted) failed.abort(`the lead could not be taken over: ${reasonOf(error)}`)
  })
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await taken
    },
  }
}

/** A host as it is in a URL: IPv6 addresses in brackets. */
function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** The interval after which clients ask again, in seconds. */
const RETRY_AFTER_S = 5

/** The port of a service, which may be open before the service is. */
class ServicePort {
  readonly #boot: Pick<BootContext, 'settings' | 'environment' | 'shutdown'>
  #answer: Handler = () => json({ status: 'unavailable' }, 503)
  #listening: Listening | null = null

  constructor(boot: Pick<BootContext, 'settings' | 'environment' | 'shutdown'>) {
    this.#boot = boot
  }

  /** Has a service answer from now on. @throws the system's error when the port cannot be opened. */
  async answerBy(answer: Handler): Promise<Listening> {
    const { settings, environment, shutdown } = this.#boot
    this.#answer = answer
    this.#listening ??= shutdown.own(
      'stop-listening',
      await Listening.open((request, connection) => this.#answer(request, connection), {
        ...settings,
        log: environment.log,
      }),
    )
    return this.#listening
  }

  /** Answers probes while the database is away, so that nobody ends a server that only waits for it. */
  async answerWaiting(): Promise<void> {
    const base = this.#boot.settings['base-path']
    await this.answerBy(({ url }) => {
      const { pathname } = new URL(url)
      if (pathname === `${base}/health/live`) return json({ status: 'ok' } satisfies LivenessBody)
      const headers = { 'retry-after': String(RETRY_AFTER_S) }
      if (pathname !== `${base}/health/ready`) {
        return json({ message: 'This server starts when the database is back' }, 503, headers)
      }
      const body: ReadinessBody = {
        status: 'unavailable',
        reasons: ['The state store cannot be read'],
      }
      return json(body, 503, headers)
    })
  }
}
