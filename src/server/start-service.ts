import { hostname } from 'node:os'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Cluster } from '../cluster/cluster.ts'
import type { SharedFiles } from '../cluster/shared-files.ts'
import { isDiskFull } from '../core/faults.ts'
import { isOnFullDisk } from '../health/disk-room.ts'
import { Listening } from '../http/listen.ts'
import { allOf } from '../lib/all-of.ts'
import { inBackground } from '../lib/in-background.ts'
import { assertRestored } from '../operations/backup/unfinished-restore.ts'
import { assertStateMoved } from '../operations/lost-files.ts'
import { type StatePlaces, statePlaces } from '../operations/service-places.ts'
import { assertSeparate } from '../operations/separate-folders.ts'
import { readSecretKeys } from '../security/secret-keys.ts'
import type { ServeSettings } from '../settings.ts'
import { openProcessLock } from '../storage/process-lock.ts'
import { freeReserve, makeReserve } from '../storage/reserve.ts'
import type { BootContext, BootEnvironment } from './boot-context.ts'
import { httpOptions } from './http-options.ts'
import { httpService } from './service.ts'
import { openService } from './service-context.ts'
import { Shutdown } from './shutdown.ts'

/** A running service. Disposing it finishes the requests in flight, then closes everything. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string
  /** The file with the password of the first user, when one was generated now. */
  readonly passwordFile: string | null
  /** Aborted when another server has taken over, so that this one has to end. */
  readonly superseded: AbortSignal
}

/** Opens everything that the settings name, and listens. */
export async function openServer(
  settings: ServeSettings,
  environment: BootEnvironment,
): Promise<RunningServer> {
  const reserved = reservedFolders(settings)
  try {
    return await openOnce(settings, environment)
  } catch (error) {
    // SQLite says of some of its files only that they cannot be written.
    if (!isDiskFull(error) && !reserved.some(isOnFullDisk)) throw error
    await allOf(reserved.map(freeReserve))
    return await openOnce(settings, environment)
  }
}

async function openOnce(
  settings: ServeSettings,
  environment: BootEnvironment,
): Promise<RunningServer> {
  const shutdown = new Shutdown()
  try {
    const places = await openPlaces(settings, { shutdown, environment })
    const cluster = await joinCluster({ settings, environment, shutdown, places })
    const server = await serve({ settings, environment, shutdown, places, cluster })
    await allOf(reservedFolders(settings).map(makeReserve))
    return server
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
  { shutdown, environment: { log } }: Pick<BootContext, 'shutdown' | 'environment'>,
): Promise<StatePlaces> {
  const places = statePlaces(settings)
  const { stateDir } = places
  await assertSeparate({ ...places, repository: resolve(settings['config-repo']) })
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  shutdown.own('close-engines', await openProcessLock(join(stateDir, 'lock'), log))
  await assertRestored(stateDir)
  return places
}

async function joinCluster({
  settings,
  environment,
  shutdown,
  places,
}: Omit<BootContext, 'cluster'>): Promise<Cluster | null> {
  const { state: url, 'begin-anew': isAnew } = settings
  if (url === null) return null
  const { log, stop = new AbortController().signal } = environment
  const server = `${hostname()} (process ${process.pid})`
  const assertMayCreate = () => (isAnew ? Promise.resolve() : assertStateMoved(places))
  const assertFits = async (files: SharedFiles) => {
    if (isAnew) return
    files.assertKeys(await readSecretKeys(places.keysFile), places.keysFile)
    await files.assertArtifacts(places.artifactsDir)
  }
  const joining = { url, server, assertMayCreate, assertFits, stop, log }
  return shutdown.own('close-engines', await Cluster.join(joining))
}

async function serve(boot: BootContext): Promise<RunningServer> {
  const { settings, shutdown } = boot
  const { log } = boot.environment
  const context = await openService(boot)
  const service = httpService(httpOptions(context))
  const listening = await Listening.open(service.answer, { ...settings, log })
  shutdown.own('stop-listening', listening)
  context.access.reportLogin()
  context.configuration.entities.begin()
  context.configuration.texts.begin()
  inBackground(log, 'The pages could not be loaded', service.loadPages())
  const url = `http://${hostOf(settings.host)}:${listening.port}${settings['base-path']}`
  const { passwordFile } = context
  const superseded = boot.cluster?.superseded ?? new AbortController().signal
  return {
    url,
    passwordFile,
    superseded,
    [Symbol.asyncDispose]: () => shutdown[Symbol.asyncDispose](),
  }
}

/** A host as it stands in a URL: IPv6 addresses in brackets. */
function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
