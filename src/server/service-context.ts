import { join, resolve } from 'node:path'
import type { AgentDirectory } from '../agents/agent-directory.ts'
import type { AgentRegistrar } from '../agents/agent-registrar.ts'
import { RefusedMachines } from '../agents/refused-machines.ts'
import type { BuildServices } from '../builds/build-services.ts'
import type { MaterialPoller } from '../builds/materials/material-poller.ts'
import type { Triggers } from '../builds/triggers/triggers.ts'
import { SecretBox } from '../document/secrets/secret-box.ts'
import { Audit, noteRevisions } from '../notify/audit/audit.ts'
import { moveFormerFiles } from '../notify/audit/former-files.ts'
import { CommandEntries, commandEntriesIn, leaveEntry } from '../notify/audit/command-entries.ts'
import type { NewAuditEntry } from '../core/audit.ts'
import { ServiceError, unavailable } from '../core/errors.ts'
import type { Mirror } from '../notify/mirror/mirror.ts'
import { RevisionWatch } from '../notify/revision-watch.ts'
import type { Webhooks } from '../notify/webhooks/webhooks.ts'
import {
  assertKeysThere,
  assertNothingLost,
  assertUsersThere,
  type ServiceFiles,
} from '../operations/lost-files.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { RequestMetrics } from '../core/request-metrics.ts'
import { createFirstUser } from '../security/first-user.ts'
import { openSecretKeys, readSecretKeys, type SecretKeys } from '../security/secret-keys.ts'
import { openSqliteState } from '../state/open-sqlite.ts'
import { isDamagedState } from '../state/unavailable.ts'
import type { StateStore } from '../state/state-store.ts'
import type { BootContext } from './boot-context.ts'
import { type OpenedAccess, openAccess } from './open-access.ts'
import { openBuilds } from './open-builds.ts'
import { type OpenedConfiguration, openConfiguration } from './open-configuration.ts'
import { openMirror, openWebhooks } from './open-notifications.ts'
import { openUsers } from './open-users.ts'
import { openPageWork, type PageWork } from './page-work.ts'

const STATE_WAY_OUT =
  'Look at it with cairn doctor, put it back from a backup, or move it away and begin anew without it: cairn serve --begin-anew'

/** Resources that every server opens, leader or not. */
export interface SharedContext extends BootContext {
  /** Where every server finds what was issued to users; without a database, the state itself. */
  readonly identityStore: StateStore
  /** Authentication and permissions. */
  readonly access: OpenedAccess
  /** The repository, the configuration in force, and what is known of its changes. */
  readonly configuration: OpenedConfiguration
  readonly box: SecretBox
  readonly audit: Audit
  readonly watch: RevisionWatch
  readonly requests: RequestMetrics
  readonly pageWork: PageWork
  /** The file with the password of the first user, when one was generated now. */
  readonly passwordFile: string | null
}

/** The resources of an open service. */
export interface ServiceContext extends SharedContext {
  readonly store: StateStore
  readonly agents: {
    readonly directory: AgentDirectory
    readonly registrar: AgentRegistrar
    readonly refused: RefusedMachines
  }
  readonly builds: BuildServices
  readonly triggers: Triggers
  readonly poller: MaterialPoller
  readonly webhooks: Webhooks
  /** Null where revisions are pushed nowhere. */
  readonly mirror: Mirror | null
}

/** Opens what every server needs, one after the other as they need each other. */
export async function openShared(boot: BootContext): Promise<SharedContext> {
  const { settings, environment, shutdown, places } = boot
  const { stateDir } = places
  const { passwordCost: cost } = environment
  await assertComplete(boot)
  const identityStore = shutdown.own('close-engines', await openIdentityStore(boot))
  const audit = await openAudit(boot, identityStore)
  const users = await openUsers(boot, identityStore)
  const passwordFile = join(stateDir, 'admin.password')
  const password = settings['admin-password']
  const isGenerated = await createFirstUser({ users, passwordFile, password, cost })
  const box = new SecretBox(await openKeys(boot))
  const configuration = await openConfiguration(boot, box)
  const { history } = configuration.config
  // The log of several servers has each move with its entry.
  if (boot.cluster === null) noteRevisions(history, audit, environment.log)
  const access = await openAccess(boot, {
    users,
    configuration: configuration.config.configuration,
    store: identityStore,
    key: box.keyFor('log-ins that are under way'),
  })
  configuration.config.gate.decideBy(access.access)
  const watch = new RevisionWatch({ history, access: access.access })
  shutdown.own('release-waiters', watch)
  return {
    ...boot,
    identityStore,
    access,
    configuration,
    box,
    audit,
    watch,
    requests: new RequestMetrics(),
    pageWork: openPageWork(boot, configuration),
    passwordFile: isGenerated ? passwordFile : null,
  }
}

/** Opens what one server at a time has: the state, and everything that changes it. */
export async function openDuties(shared: SharedContext): Promise<ServiceContext> {
  const { environment, configuration, box } = shared
  const { config, secretAlarm, repository } = configuration
  const { history } = config
  const { store, directory, registrar, ...builds } = await openBuilds(shared, config, box)
  await secretAlarm.open(store)
  const refused = new RefusedMachines({ clock: environment.clock })
  return {
    ...shared,
    ...builds,
    store,
    agents: { directory, registrar, refused },
    webhooks: await openWebhooks(shared, { history, store }),
    mirror: openMirror(shared, { history, repository }),
  }
}

function openIdentityStore({ places, cluster }: BootContext): Promise<StateStore> {
  return cluster?.openIdentities() ?? openStateFile(join(places.stateDir, 'state.sqlite'))
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
async function assertComplete(boot: BootContext): Promise<void> {
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

/** The file is made only where no other server has one. */
async function openKeys({ places, cluster }: BootContext): Promise<SecretKeys> {
  const file = places.keysFile
  await cluster?.files.agreeOnKeys(await readSecretKeys(file), file)
  const keys = await openSecretKeys(file)
  await cluster?.files.agreeOnKeys(keys, file)
  return keys
}

function filesOf({ settings, environment: { programPath }, places }: BootContext): ServiceFiles {
  const repository = resolve(settings['config-repo'])
  return { repository, fileName: settings['config-file'], ...places, programPath }
}

async function openAudit(boot: BootContext, state: StateStore): Promise<Audit> {
  const { settings, environment, shutdown, places, cluster } = boot
  const { clock, log } = environment
  const options = { maxSize: settings['max-audit'], clock, log }
  const store = cluster?.openAudit(options) ?? state.auditLog(options)
  if (cluster === null) await moveFormerFiles(join(places.stateDir, 'audit'), store)
  const waiting = commandEntriesIn(places.stateDir)
  const leave = (entry: NewAuditEntry) => leaveEntry(waiting, entry)
  const audit = shutdown.own('close-engines', new Audit({ store, leave, clock, log }))
  const keep = (entry: NewAuditEntry) => audit.keep(entry)
  const entries = { folder: waiting, keep, clock, log }
  shutdown.own('stop-background-work', new CommandEntries(entries))
  return audit
}
