import type { JobInstance } from '../engine/documents.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { ConsoleLog } from '../artifacts/console-log.ts'
import { jobFolder, type JobPlace, placeOfJob, renderPlace } from '../artifacts/job-folders.ts'
import type { AssignedFetch } from './build-assignment.ts'

/** A job that an agent has, or has yet to stop. */
export interface RunningJob {
  readonly jobId: number
  readonly agentUuid: string
  /** The agent process that took it; null when unknown after a restart. */
  readonly instance: string | null
  readonly place: JobPlace
  /** The configured job that it is an instance of. */
  readonly planName: string
  readonly folder: string
  readonly console: ConsoleLog
  /** The artifacts that its agent has to fetch; null when unknown after a restart. */
  readonly fetches: readonly AssignedFetch[] | null
  /** The time for which the service had run at the last contact about it, in milliseconds. */
  readonly lastContact: number
  /** Whether the agent has said anything about it. */
  readonly isHeardOf: boolean
  /** Whether it was taken from the agent, which has yet to stop it. */
  readonly isStopped: boolean
}

/** Adds a line of the server to the console of a job. One that cannot be written holds up nothing. */
export async function noteInConsole(
  { console, place }: RunningJob,
  { text, log }: { readonly text: string; readonly log: Log },
): Promise<void> {
  try {
    await console.note(text)
  } catch (error) {
    const facts = { job: renderPlace(place), error }
    log({ level: 'warning', message: 'The console of a job cannot be written', facts })
  }
}

export interface RunningJobsOptions {
  readonly root: string
  readonly clock: Clock
  /** The time for which the service has run, which nobody sets. */
  readonly uptime: Clock
  /** Receives every change of a job's folder size in bytes. */
  readonly onSize: (place: JobPlace, bytes: number) => void
}

/** The jobs that agents work on, in memory. Derived from the builds, and rebuilt at each start. */
export class RunningJobs {
  readonly #root: string
  readonly #clock: Clock
  readonly #uptime: Clock
  readonly #onSize: (place: JobPlace, bytes: number) => void
  readonly #jobs = new Map<number, RunningJob>()
  readonly #idsOf = new Map<string, readonly number[]>()

  constructor(options: RunningJobsOptions) {
    this.#root = options.root
    this.#clock = options.clock
    this.#uptime = options.uptime
    this.#onSize = options.onSize
  }

  list(): readonly RunningJob[] {
    return [...this.#jobs.values()]
  }

  find(jobId: number): RunningJob | null {
    return this.#jobs.get(jobId) ?? null
  }

  /** The job that the agent has, or has yet to stop. */
  findOf(agentUuid: string): RunningJob | null {
    const jobs = this.#listOf(agentUuid)
    return jobs.find(({ isStopped }) => !isStopped) ?? jobs.at(-1) ?? null
  }

  add(job: JobInstance, by: { agentUuid: string; instance: string | null }): RunningJob {
    const place = placeOfJob(job)
    const { planName } = job
    const folder = jobFolder(this.#root, place)
    const onSize = (bytes: number) => this.#onSize(place, bytes)
    const running = {
      ...by,
      jobId: job.id,
      place,
      planName,
      folder,
      console: new ConsoleLog(folder, { clock: this.#clock, onSize }),
      fetches: null,
      lastContact: this.#uptime(),
      isHeardOf: false,
      isStopped: false,
    }
    this.#jobs.set(job.id, running)
    this.#idsOf.set(by.agentUuid, [...(this.#idsOf.get(by.agentUuid) ?? []), job.id])
    return running
  }

  /** Records a sign of life of the job, which therefore is not silent. */
  recordContact(jobId: number): void {
    this.#change(jobId, { lastContact: this.#uptime(), isHeardOf: true })
  }

  /** Permits the fetches that the job's assignment names. */
  allowFetches(jobId: number, fetches: readonly AssignedFetch[]): void {
    this.#change(jobId, { fetches })
  }

  stop(jobId: number): void {
    this.#change(jobId, { isStopped: true })
  }

  remove(jobId: number): void {
    const job = this.#jobs.get(jobId)
    if (!job) return
    this.#jobs.delete(jobId)
    const others = (this.#idsOf.get(job.agentUuid) ?? []).filter((id) => id !== jobId)
    if (others.length > 0) this.#idsOf.set(job.agentUuid, others)
    else this.#idsOf.delete(job.agentUuid)
  }

  /** The agent holds this job, or none: every other job that it had to stop has been stopped. */
  settle(agentUuid: string, held: number | null): void {
    for (const { isStopped, jobId } of this.#listOf(agentUuid)) {
      if (isStopped && jobId !== held) this.remove(jobId)
    }
  }

  #listOf(agentUuid: string): readonly RunningJob[] {
    return (this.#idsOf.get(agentUuid) ?? []).flatMap((id) => this.#jobs.get(id) ?? [])
  }

  #change(
    jobId: number,
    facts: Partial<Pick<RunningJob, 'fetches' | 'lastContact' | 'isHeardOf' | 'isStopped'>>,
  ): void {
    const job = this.#jobs.get(jobId)
    if (job) this.#jobs.set(jobId, { ...job, ...facts })
  }
}
