import { join, resolve } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'
import { MaintenanceMode } from '../configuration/maintenance-mode.ts'
import { ServiceError, unavailable } from '../core/errors.ts'
import {
  assertKeysThere,
  assertNothingLost,
  assertUsersThere,
  type ServiceFiles,
} from '../operations/lost-files.ts'
import type { Audit } from '../notify/audit/audit.ts'
import { KeptKeys } from '../security/kept-keys.ts'
import { openSecretKeys, readSecretKeys, type SecretKeys } from '../security/secret-keys.ts'
import { openSqliteState } from '../state/open-sqlite.ts'
import { UPGRADES } from '../state/upgrades.ts'
import { isDamagedState } from '../state/unavailable.ts'
import type { StateStore } from '../state/state-store.ts'
import type { BootContext } from './boot-context.ts'

/** The name of the service itself, where it acts like a user. */
const SERVER = 'Server'
const UPGRADED = 'The state of an earlier version was brought up to date'
const STATE_WAY_OUT =
  'Look at it with cairn doctor, put it back from a backup, or move it away and begin anew without it: cairn serve --begin-anew'

/** Where every server finds what was issued to users; without a database, the state itself. */
export async function openIdentityStore({
  places,
  cluster,
  environment: { log },
}: BootContext): Promise<StateStore> {
  if (cluster !== null) return cluster.openIdentities()
  const store = await openStateFile(join(places.stateDir, 'state.sqlite'))
  const { upgradedFrom: from } = store
  if (from !== null) log({ level: 'info', message: UPGRADED, facts: { from, to: UPGRADES.length } })
  return store
}

/** Why everything is refused. */
const STARTED_IN_MAINTENANCE = 'Started with --maintenance'

/** The maintenance mode of all servers; it outlives a restart. */
export async function openMaintenance(
  { settings, environment, cluster, shutdown }: BootContext,
  { store, audit }: { readonly store: StateStore; readonly audit: Audit },
): Promise<MaintenanceMode> {
  const options = { ...environment, store, isShared: cluster !== null }
  const mode = shutdown.own('stop-background-work', await MaintenanceMode.open(options))
  const { saves, starts } = mode.current()
  if (settings.maintenance && (saves === 'allowed' || starts === 'allowed')) {
    await mode.set(SERVER, { saves: 'refused', starts: 'refused', reason: STARTED_IN_MAINTENANCE })
    await audit.note({
      user: SERVER,
      action: 'set-maintenance',
      target: '',
      address: '',
      outcome: 'done',
    })
  }
  return mode
}

/** The state of a single server. A file that is no state, or damaged, is one that somebody has to decide about. */
async function openStateFile(file: string): Promise<StateStore> {
  try {
    return await openSqliteState(file)
  } catch (error) {
    if (!(error instanceof ServiceError) || !isDamagedState(error)) throw error
    throw unavailable(`${error.message}. ${STATE_WAY_OUT}`, error)
  }
}

/** A file that is missing is made only where it never was. */
export async function assertComplete(boot: BootContext): Promise<void> {
  const { settings, cluster } = boot
  const files = filesOf(boot)
  if (settings['begin-anew']) await cluster?.files.beginAnew()
  else if (cluster === null) await assertNothingLost(files)
  else await assertOneOfMany(boot, cluster)
  await cluster?.files.agreeOnArtifacts(boot.places.artifactsDir)
}

/** Keys, and users in a file that the operator names, are those of the servers that were here before. */
async function assertOneOfMany(boot: BootContext, cluster: Cluster): Promise<void> {
  await assertKeysThere(filesOf(boot))
  const { 'users-file': file, 'admin-password': password } = boot.settings
  if (file === null || password !== null || (await cluster.log.head()) === null) return
  await assertUsersThere(boot.places.usersFile)
}

interface OpenedKeys {
  readonly keys: SecretKeys
  readonly kept: KeptKeys
}

/** The file is made only where no other server has one. */
export async function openKeys(boot: BootContext): Promise<OpenedKeys> {
  const { places, cluster, shutdown, environment } = boot
  const file = places.keysFile
  await cluster?.files.agreeOnKeys(await readSecretKeys(file), file)
  const keys = await openSecretKeys(file)
  await cluster?.files.agreeOnKeys(keys, file)
  const { log } = environment
  return { keys, kept: shutdown.own('close-engines', new KeptKeys({ file, keys, log })) }
}

function filesOf({ settings, environment: { programPath }, places }: BootContext): ServiceFiles {
  const repository = resolve(settings['config-repo'])
  return { repository, fileName: settings['config-file'], ...places, programPath }
}
