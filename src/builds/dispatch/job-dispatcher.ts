import type { JobInstance, RecordedAgent } from '../engine/documents.ts'
import { ServiceError } from '../../core/errors.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { AgentDirectory } from '../../agents/agent-directory.ts'
import { assertToken } from '../../agents/contact.ts'
import { factsOf, type KnownAgent } from '../../agents/known-agent.ts'
import type { BuildAssignment } from '../assignment/job-assignment.ts'
import { AssignmentRefusal } from '../assignment/secrets.ts'
import type { EffectivePipelines } from '../configured/effective-pipelines.ts'
import { offerOf } from '../configured/plans.ts'
import {
  fetchesOfAssignment,
  type AssignedFetch,
  type BuildAssignmentDeps,
  buildAssignment,
} from './build-assignment.ts'
import { noteInConsole, type RunningJobs } from './running-jobs.ts'

export interface JobDispatcherOptions extends BuildAssignmentDeps {
  readonly pipelines: EffectivePipelines
  readonly directory: AgentDirectory
  readonly running: RunningJobs
  readonly log: Log
  /** The time for which a call is held while there is no work, in milliseconds. */
  readonly held: number
}

export interface WorkCall {
  readonly uuid: string
  readonly token: string
  readonly instance: string
  /** The number of the call of that instance; null where it does not say so. */
  readonly attempt: number | null
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
}

interface Waiting extends Pick<WorkCall, 'uuid' | 'instance'> {
  readonly answer: (assignment: BuildAssignment | null) => void
  readonly fail: (reason: unknown) => void
}

/**
 * Assigns jobs to agents that request work. A call without a job waits, and waiting calls are
 * answered in order as soon as there is work. An assignment whose answer was lost is sent again to
 * the same process.
 */
export class JobDispatcher implements Disposable {
  readonly #options: JobDispatcherOptions
  readonly #waiting = new Map<string, Waiting>()
  /** The last call of each agent. */
  readonly #last = new Map<string, { readonly instance: string; readonly attempt: number }>()
  #isServing = false
  #isWoken = false
  #isClosed = false

  constructor(options: JobDispatcherOptions) {
    this.#options = options
    options.builds.onEvent(({ type }) => {
      if (type === 'jobs-queued') this.#wake()
    })
    options.pipelines.onChange(() => this.#wake())
  }

  /**
   * The agent's next job, or null when there was none for the time that a call is held.
   *
   * @throws {ServiceError} `token-refused`, `agent-taken`, or `not-permitted` unless it is enabled.
   */
  async ask(call: WorkCall): Promise<BuildAssignment | null> {
    this.assertMayAsk(call)
    if (this.#isOvertaken(call)) return null
    const again = await this.#again(call)
    return again ?? this.#wait(call)
  }

  /** @throws {ServiceError} `token-refused`, `agent-taken`, or `not-permitted` unless it is enabled. */
  assertMayAsk({ uuid, token, instance }: Omit<WorkCall, 'signal' | 'attempt'>): void {
    const agent = this.#options.directory.find(uuid)
    assertToken(agent, { uuid, token })
    if (agent?.heard && agent.heard.instance !== instance) {
      throw new ServiceError('agent-taken', `Another process uses the uuid ${uuid}`, { uuid })
    }
    if (agent?.condition.configStatus === 'Enabled') return
    const message = `The agent ${uuid} is not enabled and gets no work`
    throw new ServiceError('not-permitted', message, { permission: 'work' })
  }

  /** The artifacts that the agent has to fetch for its current job. */
  async fetchesOf(uuid: string): Promise<readonly AssignedFetch[]> {
    const { builds, running, directory } = this.#options
    const held = running.findOf(uuid)
    if (!held || held.fetches) return held?.fetches ?? []
    const job = await builds.job(held.jobId)
    const agent = directory.find(uuid)
    if (!job || !agent) return []
    try {
      return this.#noteFetches(await buildAssignment(this.#options, job, offerOf(agent)))
    } catch (error) {
      if (!(error instanceof AssignmentRefusal)) throw error
      return []
    }
  }

  /** Answers all waiting calls without a job. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    for (const { answer } of this.#waiting.values()) answer(null)
  }

  /**
   * A server that was frozen passes on calls that their agent has long made again elsewhere: the job
   * that it got there would be taken from it.
   */
  #isOvertaken({ uuid, instance, attempt }: WorkCall): boolean {
    if (attempt === null) return false
    const last = this.#last.get(uuid)
    if (last?.instance === instance && attempt < last.attempt) return true
    this.#last.set(uuid, { instance, attempt })
    return false
  }

  async #again({ uuid, instance }: WorkCall): Promise<BuildAssignment | null> {
    const { builds, running, directory } = this.#options
    const held = running.findOf(uuid)
    if (!held || held.isStopped || held.instance !== instance) return null
    const job = await builds.job(held.jobId)
    const agent = directory.find(uuid)
    if (!agent || job?.state !== 'Assigned') return null
    await held.console.ensureBegun()
    return this.#assign(job, agent)
  }

  #wait({ uuid, instance, signal }: WorkCall): Promise<BuildAssignment | null> {
    if (this.#isClosed || signal.aborted) return Promise.resolve(null)
    this.#waiting.get(uuid)?.answer(null)
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        if (this.#waiting.get(uuid) === waiting) this.#waiting.delete(uuid)
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        finish()
      }
      const waiting: Waiting = {
        uuid,
        instance,
        answer: (assignment) => settle(() => resolve(assignment)),
        fail: (reason) => settle(() => reject(reason)),
      }
      const giveUp = () => waiting.answer(null)
      const timer = setTimeout(giveUp, this.#options.held)
      signal.addEventListener('abort', giveUp)
      this.#waiting.set(uuid, waiting)
      this.#wake()
    })
  }

  #wake(): void {
    this.#isWoken = true
    if (this.#isServing) return
    this.#isServing = true
    inBackground(this.#options.log, 'Agents could not be given work', this.#serve())
  }

  async #serve(): Promise<void> {
    try {
      while (this.#isWoken) {
        this.#isWoken = false
        for (const waiting of this.#waiting.values()) await this.#offer(waiting)
      }
    } finally {
      this.#isServing = false
    }
  }

  /** A failure affects only the waiting agent, which retries; the others continue. */
  async #offer(waiting: Waiting): Promise<void> {
    if (this.#waiting.get(waiting.uuid) !== waiting) return
    try {
      const assignment = await this.#next(waiting)
      if (assignment) waiting.answer(assignment)
    } catch (error) {
      waiting.fail(error)
    }
  }

  async #next({ uuid, instance }: Waiting): Promise<BuildAssignment | null> {
    const { builds, running, directory } = this.#options
    for (;;) {
      const agent = directory.find(uuid)
      if (agent?.condition.configStatus !== 'Enabled') return null
      const job = await builds.assignWork(offerOf(agent), recordedAgent(agent))
      if (!job) return null
      await running.add(job, { agentUuid: uuid, instance }).console.begin()
      directory.apply(uuid, 'assign')
      const assignment = await this.#assign(job, agent)
      if (assignment) return assignment
    }
  }

  /** A job that no agent could run is failed, with the reason in its console. */
  async #assign(job: JobInstance, agent: KnownAgent): Promise<BuildAssignment | null> {
    try {
      const assignment = await buildAssignment(this.#options, job, offerOf(agent))
      this.#noteFetches(assignment)
      return assignment
    } catch (error) {
      if (!(error instanceof AssignmentRefusal)) throw error
      await this.#refuse(job, agent.uuid, error.message)
      return null
    }
  }

  #noteFetches(assignment: BuildAssignment): readonly AssignedFetch[] {
    const fetches = fetchesOfAssignment(assignment)
    this.#options.running.allowFetches(assignment.jobId, fetches)
    return fetches
  }

  async #refuse(job: JobInstance, uuid: string, reason: string): Promise<void> {
    const { builds, running, directory, log } = this.#options
    const facts = { job: job.id, pipeline: job.pipelineName, reason }
    log({ level: 'warning', message: 'A job cannot be run and is failed', facts })
    const held = running.find(job.id)
    if (held) await noteInConsole(held, { text: `The job failed: ${reason}`, log })
    await builds.failJob(job.id)
    running.remove(job.id)
    directory.apply(uuid, 'report-idle')
  }
}

/** The agent as the record of its jobs has it, before it names the programs of its machine. */
function recordedAgent(agent: KnownAgent): RecordedAgent {
  const { hostname, operatingSystem, version } = factsOf(agent)
  const { resources, environments } = offerOf(agent)
  return { hostname, operatingSystem, version, resources, environments, tools: [] }
}
