import { hostname } from 'node:os'
import { join } from 'node:path'
import type { ApiContext, Site } from '../api/definition/api-context.ts'
import { ConfigurationSecrets } from '../builds/assignment/configuration-secrets.ts'
import { EffectivePipelines } from '../builds/configured/effective-pipelines.ts'
import { FormerPipelines } from '../builds/configured/former-pipelines.ts'
import { Unsupported } from '../builds/configured/unsupported.ts'
import type { ConfigurationDomain } from '../configuration/configuration-domain.ts'
import { ServiceError } from '../core/errors.ts'
import { RequestMetrics } from '../core/service/request-metrics.ts'
import { SecretBox } from '../document/secrets/secret-box.ts'
import type { HealthDeps } from '../health/health.ts'
import type { HealthDomain } from '../health/health-domain.ts'
import { ServiceMetrics } from '../health/service-metrics.ts'
import type { IdentitiesDomain } from '../identities/identities-domain.ts'
import type { HistoryIndex } from '../index/history-index.ts'
import { RulesHealth } from '../configuration/gate/rules-health.ts'
import { Recovery } from '../configuration/gate/recovery.ts'
import { OverrideAlarm } from '../configuration/gate/override-alarm.ts'
import { noteRevisions } from '../notify/audit/audit.ts'
import { RevisionWatch } from '../notify/revision-watch.ts'
import { openPageServices, type PageServices } from '../pages/frame/page-services.ts'
import { MergedVersions } from '../proposals/merged-versions.ts'
import { OwnerEdits } from '../proposals/owner-edits.ts'
import { ProposalStore } from '../proposals/proposal-store.ts'
import { countOpen } from '../proposals/read-proposals.ts'
import { createFirstUser } from '../security/first-user.ts'
import { SecretFiles } from '../security/secret-files.ts'
import type { UsersStore } from '../security/users.ts'
import { SettingsError } from '../settings/settings-error.ts'
import type { BootContext } from './boot-context.ts'
import type { Leadership } from './leadership.ts'
import { type OpenedAccess, openAccess } from './open-access.ts'
import { openConfiguration } from './open-configuration.ts'
import { openAudit } from './open-notifications.ts'
import { assertComplete, openIdentityStore, openKeys, openMaintenance } from './open-state.ts'
import { openUsers } from './open-users.ts'
import { VERSION } from './version.ts'

/** The open resources of a server, by domain. The leader's own domains are there while it leads. */
export interface AppContext extends ApiContext {
  readonly boot: BootContext
  readonly identities: IdentitiesDomain & OpenedAccess
  /** The pipelines of the current configuration, its secrets, and the parts of it that nobody acts on. */
  readonly configured: {
    readonly pipelines: EffectivePipelines
    readonly secrets: ConfigurationSecrets
    readonly former: FormerPipelines
    readonly unsupported: Unsupported
  }
  readonly proposalStore: ProposalStore
  readonly proposalMerges: MergedVersions
  /** The index that is derived from the revisions. */
  readonly index: HistoryIndex
  readonly pageServices: PageServices
  /** The file with the password of the first user, when one was generated now. */
  readonly passwordFile: string | null
}

/** Opens the domains of every server, each after the ones that it needs. */
export async function openContext(boot: BootContext, leadership: Leadership): Promise<AppContext> {
  const { shutdown, environment, cluster } = boot
  const { clock, log } = environment
  await assertComplete(boot)
  const identityStore = shutdown.own('close-engines', await openIdentityStore(boot))
  const audit = await openAudit(boot, identityStore)
  const users = await openUsers(boot, identityStore)
  const passwordFile = await makeFirstUser(boot, users)
  const { keys, kept: keptKeys } = await openKeys(boot)
  const box = new SecretBox(keys)
  const maintenance = await openMaintenance(boot, { store: identityStore, audit })
  const recovery = boot.settings.recovery ? new Recovery(clock) : null
  if (recovery !== null) await audit.keep(recovery.entry())
  const { config, index, ...opened } = await openConfiguration(boot, {
    box,
    maintenance,
    recovery,
  })
  const { identity, [Symbol.asyncDispose]: _close, ...services } = config
  const { history, configuration: current, gate } = services
  // The log of several servers has each move with its entry.
  if (cluster === null) noteRevisions(history, audit, log)
  const logIns = await openAccess(boot, {
    users,
    configuration: current,
    store: identityStore,
    key: box.keyFor('log-ins that are under way'),
  })
  const { access } = logIns
  gate.decideBy(access)
  const overrides = shutdown.own(
    'stop-background-work',
    await OverrideAlarm.open(
      { history, store: identityStore, keepEntry: (entry) => audit.keep(entry), log },
      { isShared: cluster !== null },
    ),
  )
  const watch = shutdown.own('release-waiters', new RevisionWatch({ history }))
  const configuration: ConfigurationDomain = {
    ...opened,
    ...services,
    entities: index.entities,
    texts: index.texts,
    origins: index.origins,
    maintenance,
    overrides,
    access,
    box,
  }
  const configured = await openConfigured(boot, configuration)
  const rules = shutdown.own(
    'stop-background-work',
    new RulesHealth({ history, configuration: current, access, gate, log }),
  )
  const { fileName } = opened
  const proposalStore = new ProposalStore({ refs: history.proposalRefs, fileName, clock })
  const proposalMerges = new MergedVersions()
  const ownerEdits = shutdown.own(
    'stop-background-work',
    new OwnerEdits(
      {
        ...configuration,
        store: proposalStore,
        merges: proposalMerges,
        clock,
        keepEntry: (entry) => audit.keep(entry),
      },
      log,
    ),
  )
  const parts = {
    rules,
    ownerEdits,
    recovery,
    configuration,
    identity,
    logIns,
    audit,
    keptKeys,
    unsupported: configured.unsupported,
    leadership,
  }
  const pageServices = openPageServices(configuration, index)
  shutdown.own('stop-background-work', pageServices.work)
  return {
    boot,
    configuration,
    identities: { ...logIns, configuration: current, identityStore },
    notify: { access, audit, history, watch },
    health: openHealth(boot, parts),
    site: siteOf(boot),
    clock,
    log,
    leader: () => leadership.current()?.context ?? null,
    configured,
    proposalStore,
    proposalMerges,
    index,
    pageServices,
    passwordFile,
  }
}

/** The pipelines of the configuration in force, with its secrets, and the parts of it that nobody acts on. */
async function openConfigured(
  { settings, environment: { clock, log } }: BootContext,
  { configuration, cache, history, entities, box }: ConfigurationDomain,
): Promise<AppContext['configured']> {
  const pipelines = new EffectivePipelines(configuration)
  const secretsDir = settings['secrets-dir']
  const files = secretsDir === null ? null : new SecretFiles(secretsDir)
  const secrets = new ConfigurationSecrets({ box, files, pipelines })
  const unsupported = new Unsupported({ pipelines, secrets, clock, log })
  await unsupported.settle()
  const former = new FormerPipelines({ history, cache, entities, pipelines })
  return { pipelines, secrets, former, unsupported }
}

/** Returns the file with the password, or null where the user exists or the settings have one. */
async function makeFirstUser(boot: BootContext, users: UsersStore): Promise<string | null> {
  const { settings, environment, places } = boot
  const passwordFile = join(places.stateDir, 'admin.password')
  const password = settings['admin-password']
  const cost = environment.passwordCost
  try {
    const isGenerated = await createFirstUser({ users, passwordFile, password, cost })
    return isGenerated ? passwordFile : null
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.code === 'malformed-request'
    throw isRefused ? new SettingsError(`--admin-password: ${error.message}`) : error
  }
}

interface HealthParts extends Pick<
  HealthDeps,
  'audit' | 'identity' | 'keptKeys' | 'logIns' | 'rules' | 'recovery' | 'ownerEdits'
> {
  readonly unsupported: Unsupported
  readonly configuration: ConfigurationDomain
  readonly leadership: Leadership
}

function openHealth(boot: BootContext, parts: HealthParts): HealthDomain {
  const { settings, places, cluster, shutdown } = boot
  const { configuration, leadership, ...others } = parts
  const { history, writer, secretAlarm, overrides, repository, maintenance } = configuration
  const requests = new RequestMetrics()
  const deps: HealthDeps & Pick<HealthDomain, 'unsupported'> = {
    history,
    version: VERSION,
    folders: [
      { what: 'the configuration', folder: repository },
      { what: 'the state', folder: places.stateDir },
      ...(settings['artifacts-dir'] === null
        ? []
        : [{ what: 'the artifacts', folder: places.artifactsDir }]),
    ],
    ...others,
    secretAlarm,
    maintenance,
    overrides,
    cluster,
    leader: () => leadership.current()?.health ?? null,
  }
  const work = () => {
    const led = leadership.current()?.context ?? null
    if (led === null) return null
    return { ...led.builds, openProposals: () => countOpen(led.proposals) }
  }
  const metrics = new ServiceMetrics({ ...deps, writer, requests, work })
  return {
    ...deps,
    requests,
    metrics: shutdown.own('stop-background-work', metrics),
    readState: async () => {
      const led = leadership.current()
      await (led ? led.context.builds.builds.pipelineHistory('', 0) : cluster?.assertThere())
    },
    writeState: async () => cluster?.assertWritable(),
  }
}

function siteOf({ settings }: BootContext): Site {
  return {
    basePath: settings['base-path'],
    publicUrl: settings['public-url'],
    clientNames: settings['client-names'],
    maxBody: settings['max-body'],
  }
}

/** The names that operators have given to this machine and this service. */
export function hostNamesOf({ settings }: BootContext): string[] {
  const { host, 'public-url': publicUrl, 'allowed-hosts': others } = settings
  const named = publicUrl === null ? [] : [new URL(publicUrl).hostname]
  return [hostname(), host, ...named, ...others]
}
