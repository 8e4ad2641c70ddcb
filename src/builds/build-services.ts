import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Builds } from './engine/builds.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { StateStore } from '../state/state-store.ts'
import type { AgentDirectory } from '../agents/agent-directory.ts'
import { ArtifactQuota } from './artifacts/artifact-quota.ts'
import type { JobPlace } from './artifacts/job-folders.ts'
import { LineFinder } from './artifacts/console-lines.ts'
import type { Secrets } from './assignment/secrets.ts'
import type { FormerPipelines } from './configured/former-pipelines.ts'
import type { EffectivePipelines } from './configured/effective-pipelines.ts'
import { ConfiguredPlans } from './configured/plans.ts'
import { RunCounts } from './runs/run-counts.ts'
import type { Unsupported } from './configured/unsupported.ts'
import { BuildingAgents } from './dispatch/agent-jobs.ts'
import { BuildWatch } from './dispatch/build-watch.ts'
import { RunningJobs } from './dispatch/running-jobs.ts'
import { SilentJobs } from './dispatch/silent-jobs.ts'
import { StrandedStages } from './dispatch/stranded-stages.ts'
import { WaitingJobs } from './dispatch/waiting-jobs.ts'
import { JobDispatcher } from './dispatch/job-dispatcher.ts'

/**
 * How long a call for work is held open, in milliseconds: shorter than the timeout of idle
 * connections.
 */
const WORK_HOLD_MS = 15_000

export interface BuildServicesOptions {
  readonly store: StateStore
  readonly pipelines: EffectivePipelines
  readonly former: FormerPipelines
  readonly unsupported: Unsupported
  readonly directory: AgentDirectory
  readonly secrets: Secrets
  readonly clock: Clock
  /** The time for which the service has run, which nobody sets. */
  readonly uptime: Clock
  readonly log: Log
  /** The folder of consoles and artifacts. */
  readonly artifactsDir: string
  /** The largest artifact, in bytes. */
  readonly largestArtifact: number
  /** The limit for all consoles and artifacts, in bytes; null for no limit. */
  readonly artifactQuota: number | null
  /** Silence after which an agent counts as lost, in milliseconds. */
  readonly agentTimeout: number
}

export type OpenedBuilds = Awaited<ReturnType<typeof openBuildServices>>
export type BuildServices = Readonly<OpenedBuilds['services']>

/** Opens everything that runs builds, which ends when it is disposed. */
export async function openBuildServices(options: BuildServicesOptions) {
  const { store, clock, uptime, artifactsDir, pipelines, former, unsupported, directory } = options
  const drafts = join(artifactsDir, '.drafts')
  await rm(drafts, { recursive: true, force: true })
  await mkdir(drafts, { recursive: true })
  const plans = new ConfiguredPlans({ pipelines, directory })
  const builds = await Builds.open({ store, clock, plans })
  const quota = new ArtifactQuota({
    builds,
    root: artifactsDir,
    drafts,
    quota: options.artifactQuota,
    log: options.log,
  })
  const onSize = (place: JobPlace, bytes: number) => quota.add(place, bytes)
  const running = new RunningJobs({ root: artifactsDir, clock, uptime, onSize })
  const jobs = new BuildingAgents({ builds, directory, running })
  await jobs.restore()
  const silent = new SilentJobs({ ...options, builds, pipelines, running })
  const services = {
    pipelines,
    former,
    plans,
    builds,
    running,
    jobs,
    waiting: new WaitingJobs({ builds, pipelines, directory, clock }),
    unsupported,
    stranded: new StrandedStages({ pipelines, directory, clock }),
    artifactsDir,
    uploads: { drafts, largest: options.largestArtifact },
    quota,
    lines: new LineFinder(),
    counts: new RunCounts(builds),
    dispatcher: new JobDispatcher({ ...options, builds, running, held: WORK_HOLD_MS }),
  }
  const watch = new BuildWatch({ ...options, builds, running, silent })
  return {
    services,
    problems: () => [...silent.problems(), ...quota.problems()],
    [Symbol.asyncDispose]: async () => {
      await watch[Symbol.asyncDispose]()
      await quota[Symbol.asyncDispose]()
    },
  }
}
