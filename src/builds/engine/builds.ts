import { LRUCache } from 'lru-cache'
import { Emitter } from '../../lib/emitter.ts'
import { groupBy } from '../../lib/grouping.ts'
import { maySuit, type AgentOffer, byAge } from '../../core/builds/assignment.ts'
import { isActive } from '../../core/builds/stage.ts'
import type { Clock } from '../../lib/clock.ts'
import type { StateStore } from '../../state/state-store.ts'
import { noEffects, type BuildChange, type Effects } from './change.ts'
import {
  ACTIVE_STAGE,
  AGENT_JOB,
  JOB,
  QUEUED_JOB,
  STAGE,
  type JobInstance,
  type PipelineInstance,
  type PipelinePause,
  type RecordedAgent,
  type RunChanges,
  type StageInstance,
  type WaitingJob,
} from './documents.ts'
import type { BuildEvent } from './event.ts'
import { lockHolder } from './lock.ts'
import * as pause from './pause.ts'
import type { PauseRequest } from './pause.ts'
import * as ticks from './timer-ticks.ts'
import type { TimerTicks } from './timer-ticks.ts'
import {
  agentJobPrefix,
  jobKey,
  type PipelineRun,
  type StageRunName,
  type StageName,
} from './keys.ts'
import type { Plans } from './plan.ts'
import { BuildQueries, type StageSummary, summaryOf } from './queries.ts'
import * as running from './running.ts'
import type { AgentReport } from './running.ts'
import * as schedule from './schedule.ts'
import { keyOfItsStage, keyOfStage } from './stage-change.ts'
import type { JobsRequest, RunRequest, StageRequest } from './schedule.ts'

export interface BuildsOptions {
  readonly store: StateStore
  readonly clock: Clock
  readonly plans: Plans
}

/** Whether a pipeline can start runs now. */
export interface PipelineStatus {
  readonly pause: PipelinePause | null
  /** The run that holds its lock. */
  readonly lockedBy: number | null
  /** The reason why a run could not start now, or null. */
  readonly obstacle: string | null
}

/** The most runs of stages whose end times are cached. */
const MAX_ENDS = 50_000

/**
 * Runs of pipelines, stages and jobs. A change is durable when its promise resolves, together with
 * all its consequences: the next stage starts in the change that ends the previous one, so a crash
 * cannot separate them.
 */
export class Builds extends BuildQueries {
  readonly #options: BuildsOptions
  readonly #queue = new JobQueue()
  /** The end times of runs of stages, by their ids. A limit of sizes takes no room before there are entries. */
  readonly #ends = new LRUCache<number, Pick<StageSummary, 'endedAt'>>({
    maxSize: MAX_ENDS,
    sizeCalculation: () => 1,
  })
  readonly #events = new Emitter<[BuildEvent]>()

  private constructor(options: BuildsOptions) {
    super(options.store)
    this.#options = options
  }

  static async open(options: BuildsOptions): Promise<Builds> {
    const builds = new Builds(options)
    const queued = (await options.store.list(QUEUED_JOB)).map(({ value }) => jobKey(value.id))
    for (const job of await options.store.findMany(JOB, queued)) builds.#queue.add(job)
    return builds
  }

  /** The number of jobs that wait for an agent. */
  waitingJobs(): number {
    return this.#queue.length
  }

  /** The jobs that wait for an agent, oldest first. */
  queue(): readonly WaitingJob[] {
    return this.#queue.list()
  }

  /** The jobs of a run of a stage that wait for an agent, oldest first. */
  queuedOf(stage: StageInstance): readonly WaitingJob[] {
    return this.#queue.ofStage(keyOfStage(stage))
  }

  /** Runs of stages without their jobs. */
  summaries(stages: readonly StageInstance[]): Promise<StageSummary[]> {
    return Promise.all(stages.map((stage) => this.summary(stage)))
  }

  /** A run of a stage without its jobs, which are not read while it is in progress, and once after that. */
  async summary(stage: StageInstance): Promise<StageSummary> {
    const waiting = this.queuedOf(stage).length
    if (isActive(stage.tally)) return summaryOf(stage, { waiting, endedAt: null })
    const { endedAt } = this.#ends.get(stage.id) ?? (await this.#readEnd(stage))
    return summaryOf(stage, { waiting, endedAt })
  }

  /** Calls the listener after each change; returns a function that unsubscribes it. */
  onEvent(listener: (event: BuildEvent) => void): () => void {
    return this.#events.on(listener)
  }

  /**
   * @throws {ServiceError} `pipeline-not-found`, `pipeline-locked`, or `not-schedulable` with the reason.
   */
  schedulePipeline(request: RunRequest): Promise<PipelineInstance> {
    return this.#change((change) => schedule.schedulePipeline(change, request))
  }

  /** Adds changes of a run that were found only after its start. */
  noteChanges({ pipeline: name, counter }: PipelineRun, changes: RunChanges): Promise<void> {
    return this.#change((change) => schedule.noteChanges(change, { name, counter, changes }))
  }

  /**
   * Runs a stage of a pipeline run, for the first time or again with all its jobs.
   *
   * @throws {ServiceError} `pipeline-not-found`, `stage-not-found`, `pipeline-locked`,
   * `not-schedulable`
   */
  scheduleStage(request: StageRequest): Promise<StageInstance> {
    return this.#change((change) => schedule.scheduleStage(change, request))
  }

  /**
   * Runs some jobs of a finished run again and copies the results of the others.
   *
   * @throws {ServiceError} as `scheduleStage`
   */
  rerunJobs(request: JobsRequest): Promise<StageInstance> {
    return this.#change((change) => schedule.rerunJobs(change, request))
  }

  /**
   * Assigns the oldest job that the agent may run, or none, and records the agent as it is now. An agent that asks for work has no job:
   * a job that it still had goes back to the queue.
   */
  async assignWork(
    agent: AgentOffer,
    recorded: RecordedAgent | null = null,
  ): Promise<JobInstance | null> {
    await this.rescheduleJobsOf(agent.uuid)
    for (;;) {
      const job = this.#queue.take((candidate) => this.#suits(candidate, agent))
      if (!job) return null
      const assigned = await this.#assign(job, { agentUuid: agent.uuid, agent: recorded })
      if (assigned) return assigned
    }
  }

  /**
   * Records an agent's report about its job, and returns the job after it.
   *
   * @throws {ServiceError} `job-not-found`, or `job-not-yours` for another agent's job.
   */
  reportJob(report: AgentReport): Promise<JobInstance> {
    return this.#change((change) => running.applyReport(change, report))
  }

  /** Cancels the newest active run of the stage for a user; null when there is none. */
  cancelStage(name: StageName, by: string | null = null): Promise<StageInstance | null> {
    return this.#change((change) => running.cancelActiveStage(change, name, by))
  }

  /** Cancels one run of a stage for a user; null when it is not active or does not exist. */
  cancelRun(run: StageRunName, by: string | null = null): Promise<StageInstance | null> {
    return this.#change((change) => running.cancelRunOf(change, run, by))
  }

  /** Returns whether the job was still active. @throws {ServiceError} `job-not-found` */
  cancelJob(jobId: number): Promise<boolean> {
    return this.#change((change) => running.endJob(change, jobId, { type: 'cancel' }))
  }

  /**
   * Fails a job on behalf of the server; returns whether it was still active. @throws
   * {ServiceError} `job-not-found`
   */
  failJob(jobId: number): Promise<boolean> {
    return this.#change((change) => running.endJob(change, jobId, { type: 'fail' }))
  }

  /** Requeues the jobs of agents that are not live, if any agent is live. */
  async rescheduleLost(liveAgents: ReadonlySet<string>): Promise<number> {
    const isLost = (uuid: string): boolean => !liveAgents.has(uuid)
    if (liveAgents.size === 0) return 0
    const owned = await this.agentJobs()
    if (!owned.some(({ agentUuid }) => isLost(agentUuid))) return 0
    return this.#change((change) => running.rescheduleJobs(change, isLost))
  }

  /** Requeues the jobs that an agent still has. */
  async rescheduleJobsOf(agentUuid: string): Promise<void> {
    const owned = await this.#options.store.list(AGENT_JOB, agentJobPrefix(agentUuid))
    if (!owned.some(({ value }) => value.agentUuid === agentUuid)) return
    await this.#change((change) => running.rescheduleJobsOf(change, agentUuid))
  }

  /** Cancels active runs of pipelines that are no longer configured. */
  async cancelRemoved(): Promise<readonly StageInstance[]> {
    const { store, plans } = this.#options
    const isRemoved = ({ pipelineName }: StageInstance): boolean =>
      plans.pipelinePlan(pipelineName) === null
    const keys = (await store.list(ACTIVE_STAGE)).map(({ value }) => value)
    const removed = (await store.findMany(STAGE, keys)).filter(isRemoved)
    if (removed.length === 0) return []
    return this.#change((change) =>
      running.cancelRuns(change, keys, { chosen: isRemoved, by: null }),
    )
  }

  /**
   * Takes the lock from a run that is waiting, so that another one may start. Returns the counter
   * of that run, or null when no run held the lock.
   *
   * @throws {ServiceError} `pipeline-locked` while a stage of that run is active.
   */
  unlockPipeline(pipeline: string): Promise<number | null> {
    return this.#change((change) => schedule.unlockPipeline(change, pipeline))
  }

  /** Prevents new runs of the pipeline; a paused pipeline gets the new cause. */
  pausePipeline(request: PauseRequest): Promise<void> {
    return this.#change((change) => pause.recordPause(change, request))
  }

  /** Pauses the pipelines that are not paused yet, all or none. */
  pausePipelines(request: pause.PausesRequest): Promise<void> {
    return this.#change((change) => pause.recordPauses(change, request))
  }

  /** Returns whether the pipeline was paused. */
  unpausePipeline(pipeline: string): Promise<boolean> {
    return this.#change((change) => pause.removePause(change, pipeline))
  }

  /** @throws {ServiceError} `maintenance` while starts are refused, `pipeline-paused` while the pipeline is paused. */
  async assertNotPaused(pipeline: string): Promise<void> {
    const obstacle = await pause.pauseObstacle(this.#options.store, { name: pipeline })
    if (obstacle) throw obstacle
  }

  /** Forgets the pauses of pipelines that are no longer configured. */
  async forgetPauses(): Promise<void> {
    const { store, plans } = this.#options
    if ((await pause.removedPauses(store, plans)).length === 0) return
    await this.#change((change) => pause.forgetPauses(change))
  }

  /** Forgets the timers of pipelines that are no longer configured. */
  async forgetTicks(): Promise<void> {
    const { store, plans } = this.#options
    if ((await ticks.removedTicks(store, plans)).length === 0) return
    await this.#change((change) => ticks.forgetTicks(change))
  }

  /** The last ticks of timers that were done, by the keys of their pipelines. */
  timerTicks(): Promise<TimerTicks> {
    return ticks.listTicks(this.#options.store)
  }

  /** Records ticks that started no run as done. */
  noteTicks(done: TimerTicks): Promise<void> {
    return this.#change((change) => ticks.recordTicks(change, done))
  }

  /** Null for a pipeline that is not configured. */
  async pipelineStatus(pipeline: string): Promise<PipelineStatus | null> {
    const { store, plans } = this.#options
    const plan = plans.pipelinePlan(pipeline)
    if (!plan) return null
    const obstacle = await schedule.startObstacle(store, plan)
    return {
      pause: await this.pauseOf(pipeline),
      lockedBy: await lockHolder(store, plan),
      obstacle: obstacle && obstacle.message,
    }
  }

  async #readEnd(stage: StageInstance): Promise<Pick<StageSummary, 'endedAt'>> {
    const [run] = await this.withJobs([stage])
    const end = { endedAt: run?.endedAt ?? null }
    this.#ends.set(stage.id, end)
    return end
  }

  #suits(job: WaitingJob, agent: AgentOffer): boolean {
    const environments = this.#options.plans.environmentsOf(job.pipelineName)
    return maySuit({ ...job, environments }, agent)
  }

  async #assign(
    job: WaitingJob,
    to: { readonly agentUuid: string; readonly agent: RecordedAgent | null },
  ): Promise<JobInstance | null> {
    try {
      return await this.#change((change) => running.assignJob(change, { jobId: job.id, ...to }))
    } catch (error) {
      this.#queue.add(job)
      throw error
    }
  }

  async #change<Result>(work: (change: BuildChange) => Promise<Result>): Promise<Result> {
    const { store, clock, plans } = this.#options
    const done = await store.change(async (tx) => {
      const effects = noEffects()
      const result = await work({ tx, now: clock(), plans, effects })
      return { result, effects }
    })
    this.#apply(done.effects)
    return done.result
  }

  #apply({ events, queued, unqueued }: Effects): void {
    for (const job of queued) this.#queue.add(job)
    this.#queue.remove(unqueued)
    if (queued.length > 0) this.#emit({ type: 'jobs-queued' })
    for (const event of events) this.#emit(event)
  }

  #emit(event: BuildEvent): void {
    this.#events.emit(event)
  }
}

/**
 * The jobs that wait for an agent, oldest first. Derived from the store, and rebuilt at each start.
 */
class JobQueue {
  #jobs: WaitingJob[] = []
  /** The same by the keys of the runs of their stages; null until somebody asks. */
  #byStage: ReadonlyMap<string, readonly WaitingJob[]> | null = null

  get length(): number {
    return this.#jobs.length
  }

  /** Oldest first. */
  list(): readonly WaitingJob[] {
    return this.#jobs
  }

  ofStage(key: string): readonly WaitingJob[] {
    this.#byStage ??= groupBy(this.#jobs, keyOfItsStage)
    return this.#byStage.get(key) ?? []
  }

  add(job: WaitingJob): void {
    this.#byStage = null
    const index = this.#jobs.findLastIndex((other) => byAge(other, job) < 0) + 1
    if (this.#jobs[index]?.id === job.id) return
    this.#jobs.splice(index, 0, job)
  }

  /** Thousands are removed at once, when their stage is cancelled. */
  remove(ids: readonly number[]): void {
    if (ids.length === 0) return
    this.#byStage = null
    const gone = new Set(ids)
    this.#jobs = this.#jobs.filter(({ id }) => !gone.has(id))
  }

  /** Removes the oldest matching job from the queue, so that no other agent gets it. */
  take(fits: (job: WaitingJob) => boolean): WaitingJob | null {
    const index = this.#jobs.findIndex(fits)
    if (index >= 0) this.#byStage = null
    return index < 0 ? null : (this.#jobs.splice(index, 1)[0] ?? null)
  }
}
