import type { Builds } from '../engine/builds.ts'
import { isUnfinished } from '../../core/builds/job.ts'
import type { AgentDirectory } from '../../agents/agent-directory.ts'
import type { AgentJobs } from '../../agents/contact.ts'
import type { JobPlace } from '../artifacts/job-folders.ts'
import type { RunningJobs } from './running-jobs.ts'

export interface AgentJobsOptions {
  readonly builds: Builds
  readonly directory: AgentDirectory
  readonly running: RunningJobs
}

/**
 * The facts about jobs that the agents' other calls need, and the effects of those calls on jobs.
 */
export class BuildingAgents implements AgentJobs {
  readonly #options: AgentJobsOptions

  constructor(options: AgentJobsOptions) {
    this.#options = options
    const { builds, directory, running } = options
    builds.onEvent((event) => {
      if (event.type !== 'job-stopped') return
      running.stop(event.jobId)
      directory.apply(event.agentUuid, 'cancel-job')
    })
  }

  /** Restores the jobs that agents had when the service was last stopped. */
  async restore(): Promise<void> {
    const { builds, running } = this.#options
    for (const { agentUuid, jobId } of await builds.agentJobs()) {
      const job = await builds.job(jobId)
      if (job) running.add(job, { agentUuid, instance: null })
    }
  }

  isGiven(uuid: string, instance: string): boolean {
    const held = this.#options.running.findOf(uuid)
    return held !== null && held.instance === instance && !held.isStopped && !held.isHeardOf
  }

  async cancelledJob(uuid: string, held: number | null): Promise<number | null> {
    const { builds, running } = this.#options
    running.settle(uuid, held)
    if (held === null) return null
    const job = await builds.job(held)
    const isHeld = job !== null && job.agentUuid === uuid && (isUnfinished(job) || hasEnded(job))
    return isHeld ? null : held
  }

  async abandon(uuid: string): Promise<void> {
    await this.#options.builds.rescheduleJobsOf(uuid)
    this.#options.running.settle(uuid, null)
  }

  /** The job that the agent works on. */
  placeOf(uuid: string): JobPlace | null {
    return this.#options.running.findOf(uuid)?.place ?? null
  }
}

/** By the agent's own report: it knows that the job is over. */
function hasEnded({ state, result }: { state: string; result: string }): boolean {
  return state === 'Completed' && (result === 'Passed' || result === 'Failed')
}
