import { RefusedMachines } from '../agents/refused-machines.ts'
import { RegistrationLimits } from '../agents/registration-limits.ts'
import { autoRegisterKeys } from '../agents/secrets.ts'
import type { BuildServices } from '../builds/build-services.ts'
import { planFactsOf } from '../builds/plan/plan-configuration.ts'
import { NewestRuns } from '../builds/runs/newest-runs.ts'
import { RunGroups } from '../builds/runs/run-groups.ts'
import type { AppContext } from './context.ts'
import type { OpenedLeader } from './leadership.ts'
import { openBuilds } from './open-builds.ts'
import { openMirror, openWebhooks } from './open-notifications.ts'

/** Opens what one server at a time has: the state, and everything that changes it. */
export async function openLeader(app: AppContext): Promise<OpenedLeader> {
  const { boot, configuration, identities, clock } = app
  const { access, editor, history, repository } = configuration
  const { store, directory, registrar, builds, poller, triggers } = await openBuilds(app)
  await configuration.secretAlarm.open(store)
  const refused = new RefusedMachines({ clock })
  const judgeKey = autoRegisterKeys(boot.settings['auto-register-key'], configuration.configuration)
  const agents = {
    access,
    editor,
    directory,
    registrar,
    refused,
    clock,
    judgeKey,
    registrations: new RegistrationLimits({ directory, clock, judgeKey }),
    jobs: builds.jobs,
    invitations: identities.invitations,
  }
  const runs = {
    ...configuration,
    ...servicesOf(builds),
    directory,
    poller,
    triggers,
    runGroups: new RunGroups(configuration),
    newestRuns: new NewestRuns(builds.builds),
  }
  configuration.gate.planBy((documents) => planFactsOf(runs, documents))
  return {
    context: { ...app, agents, builds: runs },
    health: {
      builds,
      agents: refused,
      materials: poller,
      webhooks: await openWebhooks(boot, { history, store }),
      mirror: openMirror(boot, { history, repository }),
    },
  }
}

function servicesOf(opened: BuildServices) {
  const { builds, plans, pipelines, former, running, jobs, dispatcher, waiting } = opened
  const { unsupported, stranded, artifactsDir, uploads, quota, lines } = opened
  const runs = { builds, plans, pipelines, former, running, jobs, dispatcher, waiting }
  return { ...runs, unsupported, stranded, artifactsDir, uploads, quota, lines }
}
