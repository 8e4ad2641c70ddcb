import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../core/errors.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { JobReport } from '../../core/builds/job.ts'
import type { Log } from '../../lib/log.ts'
import { plural } from '../../lib/plural.ts'
import { renderLocator } from '../../wire/agent/paths.ts'
import type { JobAssignment, ReportedResult } from '../../wire/agent/work.ts'
import { JobConsole } from '../console/job-console.ts'
import { SecretMask } from '../console/secret-mask.ts'
import type { ProcessMark } from '../../processes/process-mark.ts'
import type { ControlGroup } from '../process/control-group.ts'
import { JobProcesses } from '../process/job-processes.ts'
import type { JobUser } from '../process/job-user.ts'
import type { JobCalls } from '../server/job-calls.ts'
import { isRefusal } from '../server/server-errors.ts'
import { type JobContext, type EndCause, JobEnded } from './job-context.ts'
import { reasonForConsole } from '../host/console-reason.ts'
import { jobEnvironment } from './job-environment.ts'
import { findTools } from './job-tools.ts'
import { PipelineFolders } from './pipeline-folders.ts'
import { prepareFolder } from './prepare-folder.ts'
import { TaskRun } from './run-tasks.ts'
import { uploadArtifacts } from './upload-artifacts.ts'

export interface JobRunOptions {
  readonly assignment: JobAssignment
  readonly calls: JobCalls
  readonly mark: ProcessMark
  /** The real path of the agent's folder. */
  readonly workDir: string
  readonly server: string
  readonly inherited: Readonly<Record<string, string>>
  /** The user of the processes, if not the agent's own. */
  readonly jobUser: JobUser | null
  /** Contains the control group of each job; null where the agent can make none. */
  readonly controlGroup: ControlGroup | null
  readonly log: Log
  readonly clock: Clock
  readonly flushMs: number
  readonly graceMs: number
  /** Aborted at the shutdown deadline, after which the server is not called any more. */
  readonly shutdownDeadline: AbortSignal
}

/** One job, from its working folder to its result. */
export class JobRun {
  readonly #options: JobRunOptions
  readonly #abort = new AbortController()
  readonly #context: JobContext
  readonly #mask: SecretMask
  readonly #tasks: TaskRun
  readonly #inherited: Readonly<Record<string, string>>
  #silence: NodeJS.Timeout | null = null
  #ending: Promise<void> | null = null

  constructor(options: JobRunOptions) {
    const { assignment, calls, mark, graceMs, workDir, jobUser: user } = options
    this.#options = options
    const folders = new PipelineFolders(workDir, assignment.pipelineName, user)
    this.#inherited = inheritedBy(folders, user, options.inherited)
    const environment = jobEnvironment(assignment, { ...options, inherited: this.#inherited })
    this.#mask = new SecretMask(environment.secrets)
    this.#context = {
      assignment,
      agent: mark.agent,
      calls,
      environment,
      folder: folders.folder,
      folders,
      user,
      console: this.#newConsole(this.#mask),
      processes: new JobProcesses({
        mark,
        graceMs,
        user,
        controlGroup: options.controlGroup?.child(`job-${assignment.jobId}`) ?? null,
      }),
      signal: this.#abort.signal,
    }
    this.#tasks = new TaskRun(this.#context)
  }

  get jobId(): number {
    return this.#options.assignment.jobId
  }

  get isEnding(): boolean {
    return this.#abort.signal.aborted
  }

  /**
   * Ends the job early; resolves when none of its processes is left. Only the first cause counts.
   */
  end(why: EndCause, message: string): Promise<void> {
    if (!this.isEnding) this.#abort.abort(new JobEnded(why, message))
    this.#ending ??= this.#endProcesses(why, message)
    return this.#ending
  }

  /** Runs the job to its end. Every failure fails only this job. */
  async run(): Promise<void> {
    const result = await this.#runToResult()
    await this.#ending
    await this.#context.processes.end()
    await this.#shutFolders()
    if (result !== null) this.#note(`Job completed ${this.#locator()}: ${result}`)
    await this.#context.console.close()
    const last = this.#cause() === 'refused' ? 'Failed' : result
    if (last !== null && this.#cause() !== 'gone')
      await this.#report({ state: 'Completed', result: last })
  }

  /** The result to report, or null when there is none to report. */
  async #runToResult(): Promise<ReportedResult | null> {
    let ran = false
    const built = await this.#attempt(async () => {
      await this.#prepare()
      const result = await this.#build()
      ran = true
      return result
    })
    if (this.isEnding || built === null) return built
    await this.#report({ state: 'Completing', result: built })
    if (!ran) return built
    return this.#attempt(async () => {
      // Artifacts must not change while they are read.
      await this.#context.processes.end()
      await uploadArtifacts(this.#context)
      return built
    })
  }

  /** The result of a part of the work, also when it fails or the job ends meanwhile. */
  async #attempt(work: () => Promise<ReportedResult>): Promise<ReportedResult | null> {
    try {
      const result = await work()
      this.#context.signal.throwIfAborted()
      return result
    } catch (error) {
      const cause = this.#cause()
      if (cause === null) return this.#fail(error)
      if (cause === 'gone' || cause === 'stopping') return null
      return cause === 'refused' ? 'Failed' : 'Cancelled'
    }
  }

  async #prepare(): Promise<void> {
    this.#note(`Job started ${this.#locator()} at ${new Date(this.#options.clock()).toISOString()}`)
    const tools = await findTools(this.#options.assignment, this.#inherited.PATH ?? '')
    await this.#enter({ state: 'Preparing', tools })
    await prepareFolder(this.#context, this.#inherited)
    for (const [name, value] of this.#context.environment.set) {
      this.#note(`Setting environment variable '${name}' to value '${value}'`)
    }
  }

  async #build(): Promise<'Passed' | 'Failed'> {
    await this.#enter({ state: 'Building' })
    this.#note(`Start to build ${this.#locator()} in ${this.#context.folder}`)
    this.#watchSilence()
    const result = await this.#tasks.run()
    if (this.#silence) clearTimeout(this.#silence)
    return result
  }

  async #shutFolders(): Promise<void> {
    try {
      await this.#context.folders.close()
    } catch (error) {
      const facts = { job: this.#locator(), error: reasonOf(error) }
      this.#options.log({ level: 'error', message: 'The folders of a job stay open', facts })
    }
  }

  async #enter(report: JobReport): Promise<void> {
    await this.#report(report)
    this.#context.signal.throwIfAborted()
  }

  #fail(error: unknown): 'Failed' {
    const message = this.#mask.hide(reasonForConsole(this.#context.folder, error))
    this.#note(`The job failed: ${message}`)
    const facts = { job: this.#locator(), error: message }
    this.#options.log({ level: 'warning', message: 'A job could not be run to its end', facts })
    return 'Failed'
  }

  /** Reports to the server; ends a job that the server no longer assigns to this agent. */
  async #report(report: JobReport): Promise<void> {
    try {
      await this.#context.calls.report(report, this.#options.shutdownDeadline)
    } catch (error) {
      this.#endRefused(error)
    }
  }

  async #endProcesses(why: EndCause, message: string): Promise<void> {
    if (this.#silence) clearTimeout(this.#silence)
    this.#note(message)
    if (why === 'cancelled' || why === 'silent') await this.#tasks.cancel()
    const left = await this.#context.processes.end()
    if (left > 0) this.#note(`${left} ${plural(left, 'process', 'processes')} could not be ended`)
  }

  #endRefused(error: unknown): void {
    if (this.isEnding) return
    const gone = [403, 404, 410].some((status) => isRefusal(error, status))
    const message = reasonOf(error)
    const facts = { job: this.#locator(), error: message }
    this.#options.log({ level: 'warning', message: 'The server ended a job', facts })
    this.#endInBackground(gone ? 'gone' : 'refused', message)
  }

  #endInBackground(why: EndCause, message: string): void {
    inBackground(this.#options.log, 'A job could not be ended', this.end(why, message))
  }

  #newConsole(mask: SecretMask): JobConsole {
    const { calls, shutdownDeadline, clock, flushMs } = this.#options
    return new JobConsole({
      mask,
      clock,
      flushMs,
      append: (offset, bytes) => calls.appendConsole(offset, bytes, shutdownDeadline),
      onRefused: (reason) => this.#endRefused(reason),
      onOutput: () => this.#silence?.refresh(),
    })
  }

  #watchSilence(): void {
    const limit = this.#options.assignment.silenceTimeoutMs
    if (limit === null) return
    const minutes = limit / 60_000
    const message = `The job wrote nothing for ${minutes} ${plural(minutes, 'minute')} and is cancelled`
    this.#silence = setTimeout(() => this.#endInBackground('silent', message), limit)
  }

  #cause(): EndCause | null {
    const reason: unknown = this.#abort.signal.reason
    return reason instanceof JobEnded ? reason.why : null
  }

  #note(text: string): void {
    this.#context.console.note(text)
  }

  #locator(): string {
    return renderLocator(this.#options.assignment)
  }
}

/** A job user has another name and home than the agent. */
function inheritedBy(
  { home }: PipelineFolders,
  user: JobUser | null,
  inherited: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (user === null || home === null) return inherited
  return { ...inherited, HOME: home, USER: user.name, LOGNAME: user.name }
}
