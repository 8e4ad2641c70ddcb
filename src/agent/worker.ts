import type { ConfigStatus } from '../core/builds/agent.ts'
import { inBackground } from '../lib/in-background.ts'
import type { ReportedStatus } from '../wire/agent/contact.ts'
import type { JobAssignment } from '../wire/agent/work.ts'
import type { ContactWork } from './contact.ts'
import type { EndCause } from './job/job-context.ts'
import { type JobRunOptions, JobRun } from './job/job-run.ts'
import type { AgentClient } from './server/agent-client.ts'
import { Backoff } from '../lib/retry.ts'
import { JobCalls } from './server/job-calls.ts'
import { pause } from '../lib/pause.ts'
import { ServerAbsent, ServerRefusal } from './server/server-errors.ts'

export interface WorkerOptions extends Omit<JobRunOptions, 'assignment' | 'calls'> {
  readonly client: AgentClient
  readonly instance: string
  readonly backoff: { readonly fromMs: number; readonly toMs: number }
}

/** The least pause between two requests for work, in case the server does not hold them. */
const MIN_PAUSE_MS = 1_000

/** Requests jobs while the agent is enabled, and runs one at a time. */
export class Worker implements ContactWork {
  readonly #options: WorkerOptions
  #status: ConfigStatus | null = null
  #job: JobRun | null = null
  #lastSaid = ''
  #attempts = 0
  #onEnabled: () => void = () => undefined

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  get jobId(): number | null {
    return this.#job?.jobId ?? null
  }

  get runtimeStatus(): ReportedStatus {
    if (!this.#job) return 'Idle'
    return this.#job.isEnding ? 'Cancelled' : 'Building'
  }

  onStatus(status: ConfigStatus | null): void {
    this.#status = status
    if (status === 'Enabled') this.#onEnabled()
  }

  onCancel(jobId: number): void {
    if (this.#job?.jobId === jobId) this.#end(this.#job, 'cancelled', 'The job is cancelled')
  }

  onLost(message: string): void {
    if (this.#job) this.#end(this.#job, 'gone', message)
  }

  /** Works until the signal is aborted; then it ends the running job first. */
  async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#untilEnabled(signal)
      const asked = performance.now()
      const assignment = signal.aborted ? null : await this.#ask(signal)
      if (assignment) await this.#run(assignment, signal)
      else if (this.#status === 'Enabled') {
        await pause(Math.max(0, asked + MIN_PAUSE_MS - performance.now()), signal)
      }
    }
  }

  /** Requests a job. After a refusal it waits for the next successful contact. */
  async #ask(signal: AbortSignal): Promise<JobAssignment | null> {
    const { client, instance } = this.#options
    this.#attempts += 1
    try {
      return await client.work({ instance, attempt: this.#attempts }, signal)
    } catch (error) {
      if (signal.aborted) return null
      if (!(error instanceof ServerAbsent || error instanceof ServerRefusal)) throw error
      if (error instanceof ServerRefusal) this.#status = null
      this.#sayOnce(`The server gives no work: ${error.message}`)
      return null
    }
  }

  #sayOnce(message: string): void {
    if (message !== this.#lastSaid) this.#options.log({ level: 'warning', message })
    this.#lastSaid = message
  }

  async #run(assignment: JobAssignment, signal: AbortSignal): Promise<void> {
    const { client, backoff } = this.#options
    const { jobId } = assignment
    const calls = new JobCalls({ client, jobId, newBackoff: () => new Backoff(backoff) })
    const job = new JobRun({ ...this.#options, assignment, calls })
    const stop = (): void => this.#end(job, 'stopping', 'The agent stops')
    this.#job = job
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    await job.run()
    signal.removeEventListener('abort', stop)
    this.#job = null
  }

  #end(job: JobRun, why: EndCause, message: string): void {
    inBackground(this.#options.log, 'A job could not be ended', job.end(why, message))
  }

  #untilEnabled(signal: AbortSignal): Promise<void> {
    if (this.#status === 'Enabled' || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onEnabled = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}
