import { isAbsolute, join } from 'node:path'
import type { ConfigurationSecrets } from '../builds/assignment/configuration-secrets.ts'
import type { BootContext } from './boot-context.ts'
import type { AppContext } from './context.ts'
import { AgentDirectory } from '../agents/agent-directory.ts'
import { AgentRegistrar } from '../agents/agent-registrar.ts'
import { configuredAgents } from '../agents/configured-agent.ts'
import { type BuildServices, openBuildServices } from '../builds/build-services.ts'
import { STARTED_PAUSED } from '../builds/runs/pausing.ts'
import { Triggers } from '../builds/triggers/triggers.ts'
import type { StatePlaces } from '../operations/service-places.ts'
import type { LocalMaterials } from '../sources/local-materials.ts'
import { MaterialPoller } from '../builds/materials/material-poller.ts'
import type { Log } from '../lib/log.ts'
import type { ServeSettings } from '../settings/settings.ts'

/** The part of the interval that passes before a material is polled for the first time. */
const FIRST_POLL = 1 / 12

/** The agents, and everything that runs on the state store. */
export async function openBuilds({ boot, configuration, identities, configured }: AppContext) {
  const { settings, environment, shutdown, places, cluster } = boot
  const { editor } = configuration
  const store =
    cluster === null
      ? identities.identityStore
      : shutdown.own('close-engines', await cluster.openState())
  const agentTimeout = settings['agent-timeout']
  const { clock, uptime, log } = environment
  const directory = await AgentDirectory.open({ store, clock, uptime, log, timeout: agentTimeout })
  configuration.configuration.subscribe((document) =>
    directory.configure(configuredAgents(document.configuration)),
  )
  const registrar = new AgentRegistrar({ editor, log })
  const builds = shutdown.own(
    'stop-background-work',
    await openBuildServices({
      ...environment,
      ...configured,
      store,
      directory,
      artifactsDir: places.artifactsDir,
      largestArtifact: settings['max-artifact'],
      artifactQuota: settings['max-artifacts'],
      agentTimeout,
    }),
  )
  const { services } = builds
  shutdown.own('release-waiters', services.dispatcher)
  if (settings['start-paused']) await pauseAll(services, log)
  const poller = openPoller(boot, configured.secrets)
  const triggers = shutdown.own(
    'release-waiters',
    new Triggers({
      clock: () => cluster?.now() ?? clock(),
      log,
      ticks: await services.builds.timerTicks(),
      builds: services.builds,
      pipelines: services.pipelines,
      poller,
      retry: settings['material-interval'],
    }),
  )
  const unlisten = configuration.maintenance.onChange(({ starts }) => {
    if (starts === 'allowed') triggers.retryWaiting()
  })
  shutdown.own('release-waiters', { [Symbol.dispose]: unlisten })
  return { store, directory, registrar, builds, poller, triggers }
}

/** Before anything can start runs: pipelines of an adopted configuration would be built at once. */
async function pauseAll({ builds, pipelines }: BuildServices, log: Log): Promise<void> {
  const names = pipelines.list().map(({ pipeline }) => pipeline.name)
  await builds.pausePipelines({ pipelines: names, ...STARTED_PAUSED })
  const message = 'Every pipeline is paused until it is unpaused'
  log({ level: 'info', message, facts: { pipelines: names.length } })
}

function openPoller(
  { settings, environment: { toolEnvironment: environment, log }, places }: BootContext,
  secrets: ConfigurationSecrets,
): MaterialPoller {
  const interval = settings['material-interval']
  const folder = join(places.stateDir, 'materials')
  const first = interval * FIRST_POLL
  const local = localMaterials(settings, places)
  return new MaterialPoller({ folder, interval, first, environment, local, secrets, log })
}

/** The mirror holds every document, as the repository does. */
function localMaterials(
  settings: ServeSettings,
  { stateDir, artifactsDir }: StatePlaces,
): LocalMaterials {
  const { mirror } = settings
  const mirrored = mirror !== null && isAbsolute(mirror) ? [mirror] : []
  return {
    allowed: settings['local-materials'],
    own: [stateDir, artifactsDir, settings['config-repo'], ...mirrored],
  }
}
