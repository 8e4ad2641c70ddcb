import { plural } from '../../lib/plural.ts'
import type { Builds } from '../engine/builds.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { HealthProblem } from '../../core/service/health-problem.ts'
import { renderPlace } from '../artifacts/job-folders.ts'
import { findJob, silenceTimeout } from '../assignment/job-assignment.ts'
import { AssignmentRefusal } from '../assignment/secrets.ts'
import { type ConfigurationDeps, configurationOf } from './build-assignment.ts'
import { noteInConsole, type RunningJob, type RunningJobs } from './running-jobs.ts'

const MINUTE_MS = 60_000
/** Silence that is reported to operators, in milliseconds. */
const NOTICED_AFTER_MS = 5 * MINUTE_MS
/** The agent cancels a silent job first; the server waits this much longer, in milliseconds. */
const GRACE_MS = 30_000

export interface SilentJobsOptions extends ConfigurationDeps {
  readonly builds: Builds
  readonly running: RunningJobs
  readonly uptime: Clock
  readonly log: Log
}

/** Jobs without output for a long time. */
export class SilentJobs {
  readonly #options: SilentJobsOptions

  constructor(options: SilentJobsOptions) {
    this.#options = options
  }

  problems(): readonly HealthProblem[] {
    const silent = this.#active().filter((job) => this.#silence(job) >= NOTICED_AFTER_MS)
    return silent.map((job) => {
      const minutes = Math.floor(this.#silence(job) / MINUTE_MS)
      const subject = `The job ${renderPlace(job.place)} has written nothing for ${minutes} minutes`
      return { subject, errors: [], pipelines: [job.place.pipelineName] }
    })
  }

  /** Cancels the jobs that have been silent for longer than the configuration allows. */
  async cancelOverdue(): Promise<void> {
    const { builds, log } = this.#options
    for (const job of this.#active()) {
      if (this.#silence(job) < GRACE_MS) continue
      const limit = await this.#limitOf(job)
      if (limit === null || this.#silence(job) < limit + GRACE_MS) continue
      const minutes = limit / MINUTE_MS
      const text = `The job wrote nothing for ${minutes} ${plural(minutes, 'minute')} and is cancelled`
      await noteInConsole(job, { text, log })
      await builds.cancelJob(job.jobId)
      log({ level: 'warning', message: text, facts: { job: renderPlace(job.place) } })
    }
  }

  #active(): readonly RunningJob[] {
    return this.#options.running.list().filter(({ isStopped }) => !isStopped)
  }

  #silence({ lastContact }: RunningJob): number {
    return this.#options.uptime() - lastContact
  }

  /** The limit of the configuration that the job was made from; null when there is none, or nobody can tell. */
  async #limitOf({ place, planName }: RunningJob): Promise<number | null> {
    const { pipelineName: pipeline, stageName: stage, ...counters } = place
    const run = await this.#options.builds.stage({ pipeline, stage, ...counters })
    if (!run) return null
    try {
      const made = await configurationOf(this.#options, run)
      const found = findJob(made.pipeline, { stageName: stage, planName })
      return found && silenceTimeout(found.config, made.jobTimeout)
    } catch (error) {
      if (error instanceof AssignmentRefusal) return null
      throw error
    }
  }
}
