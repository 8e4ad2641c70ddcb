import { LRUCache } from 'lru-cache'
import {
  isActive,
  reportedResult,
  stageStatus,
  type StageResult,
  type StageState,
} from '../../core/builds/stage.ts'
import { nameKey } from '../../core/name-key.ts'
import { PAGE_SIZE, pageOf, type Page } from '../../core/page.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { StateReader } from '../../state/documents.ts'
import {
  ACTIVE_STAGE,
  AGENT_JOB,
  JOB,
  PIPELINE,
  PIPELINE_LOCK,
  PIPELINE_PAUSE,
  RECORDED_AGENT,
  RUN_CHANGES,
  STAGE,
  type AgentJob,
  type JobInstance,
  type PipelineInstance,
  type PipelinePause,
  type RecordedAgent,
  type RunChanges,
  type StageInstance,
} from './documents.ts'
import { idsIn } from './id-ranges.ts'
import {
  activeStagePrefix,
  agentList,
  jobKey,
  pipelineKey,
  pipelineList,
  revisionList,
  stageKey,
  stageList,
  type PipelineRun,
  type StageRunName,
  type StageName,
} from './keys.ts'
import { lockKey } from './lock.ts'
import { pauseOf } from './pause.ts'

/** One run of a stage, and its result as shown to callers; its jobs, of which there may be thousands, apart. */
export interface StageSummary {
  readonly stage: StageInstance
  readonly state: StageState
  /** `Unknown` while it is active. */
  readonly result: StageResult
  readonly active: boolean
  /** Whether all of its unfinished jobs wait for agents. */
  readonly isWaiting: boolean
  /** When its last job ended; null while one runs. */
  readonly endedAt: number | null
}

/** The same with its jobs. */
export interface StageRun extends StageSummary {
  readonly jobs: readonly JobInstance[]
}

/** The limit of names of jobs that are cached with their ids. */
const MAX_NAMES = 50_000

/** Queries about builds. They do not wait for changes. */
export class BuildQueries {
  readonly #store: StateReader
  /** The ids of the jobs of a run of a stage by the keys of their names. */
  readonly #idsByName = new LRUCache<string, ReadonlyMap<string, number>>({
    maxSize: MAX_NAMES,
    sizeCalculation: ({ size }) => Math.max(1, size),
  })

  constructor(store: StateReader) {
    this.#store = store
  }

  pipelineInstance(run: PipelineRun): Promise<PipelineInstance | null> {
    return this.#store.find(PIPELINE, pipelineKey(run))
  }

  /** The changes of a run that have been found so far. */
  async runChanges(run: PipelineRun): Promise<RunChanges> {
    return (await this.#store.find(RUN_CHANGES, pipelineKey(run))) ?? []
  }

  /** The runs of a pipeline, newest first. */
  async pipelineHistory(pipeline: string, offset: number): Promise<Page<PipelineInstance>> {
    const at = { offset, limit: PAGE_SIZE }
    const { total, items } = await this.#store.page(PIPELINE, pipelineList(pipeline), at)
    return pageOf(items, { offset, total })
  }

  /** The runs of all pipelines that a revision scheduled, newest first. */
  async runsByRevision(commit: CommitSha, offset: number): Promise<Page<PipelineInstance>> {
    const at = { offset, limit: PAGE_SIZE }
    const { total, items } = await this.#store.page(PIPELINE, revisionList(commit), at)
    return pageOf(items, { offset, total })
  }

  /** When the run of a pipeline at a place of its history was made; null behind the last place. */
  async pipelineRunTime(pipeline: string, place: number): Promise<number | null> {
    const at = { offset: place, limit: 1 }
    const { items } = await this.#store.page(PIPELINE, pipelineList(pipeline), at)
    return items[0]?.createdAt ?? null
  }

  /** A run of a stage without its jobs, of which there may be thousands. */
  stage(run: StageRunName): Promise<StageInstance | null> {
    return this.#store.find(STAGE, stageKey(run))
  }

  async stageInstance(run: StageRunName): Promise<StageRun | null> {
    const stage = await this.stage(run)
    const [found] = stage ? await this.withJobs([stage]) : []
    return found ?? null
  }

  /** The runs of a stage without their jobs, newest first. */
  async stages(name: StageName, offset: number): Promise<Page<StageInstance>> {
    const at = { offset, limit: PAGE_SIZE }
    const { total, items } = await this.#store.page(STAGE, stageList(name), at)
    return pageOf(items, { offset, total })
  }

  /** The runs of a stage, newest first. */
  async stageHistory(name: StageName, offset: number): Promise<Page<StageRun>> {
    const page = await this.stages(name, offset)
    return { ...page, items: await this.withJobs(page.items) }
  }

  /** When the run of a stage at a place of its history was made; null behind the last place. */
  async stageRunTime(name: StageName, place: number): Promise<number | null> {
    const { items } = await this.#store.page(STAGE, stageList(name), { offset: place, limit: 1 })
    return items[0]?.createdAt ?? null
  }

  /** The newest run of a stage, or null. */
  async newestRun(name: StageName): Promise<StageRun | null> {
    const { items } = await this.#store.page(STAGE, stageList(name), { offset: 0, limit: 1 })
    const [newest] = await this.withJobs(items)
    return newest ?? null
  }

  /** The ended jobs of an agent, last ended first. */
  async jobRunHistory(agentUuid: string, offset: number): Promise<Page<JobInstance>> {
    const at = { offset, limit: PAGE_SIZE }
    const { total, items } = await this.#store.page(JOB, agentList(agentUuid), at)
    return pageOf(items, { offset, total })
  }

  job(id: number): Promise<JobInstance | null> {
    return this.#store.find(JOB, jobKey(id))
  }

  /** The job of a run of a stage that has the name. */
  async jobNamed(stage: StageInstance, name: string): Promise<JobInstance | null> {
    // A replaced job has another id.
    const key = `${stage.id} ${JSON.stringify(stage.jobs)}`
    const ids = this.#idsByName.get(key) ?? (await this.#readNames(stage))
    this.#idsByName.set(key, ids)
    const id = ids.get(nameKey(name))
    return id === undefined ? null : this.job(id)
  }

  /** Agents as they were when they got their jobs, by the keys in those. */
  async recordedAgents(keys: readonly string[]): Promise<ReadonlyMap<string, RecordedAgent>> {
    const found = await Promise.all(
      keys.map(async (key) => [key, await this.#store.find(RECORDED_AGENT, key)] as const),
    )
    return new Map(found.flatMap(([key, agent]) => (agent === null ? [] : [[key, agent]])))
  }

  async agentJobs(): Promise<readonly AgentJob[]> {
    return (await this.#store.list(AGENT_JOB)).map(({ value }) => value)
  }

  /** The runs in progress of a stage, the newest last, or of all stages; without their jobs. */
  async activeStages(of: StageName | null = null): Promise<readonly StageInstance[]> {
    const prefix = of === null ? '' : activeStagePrefix(of)
    const keys = (await this.#store.list(ACTIVE_STAGE, prefix)).map(({ value }) => value)
    return this.#store.findMany(STAGE, keys)
  }

  /** The counter of the run that holds the pipeline's lock, or null. */
  lockedBy(pipeline: string): Promise<number | null> {
    return this.#store.find(PIPELINE_LOCK, lockKey(pipeline))
  }

  /** The counters of the runs that hold locks, by the keys of the names of their pipelines. */
  async locks(): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.#store.list(PIPELINE_LOCK)).map(({ key, value }) => [key, value]))
  }

  /** Every pause, by the key of the name of its pipeline. */
  async pauses(): Promise<ReadonlyMap<string, PipelinePause>> {
    return new Map((await this.#store.list(PIPELINE_PAUSE)).map(({ key, value }) => [key, value]))
  }

  pauseOf(pipeline: string): Promise<PipelinePause | null> {
    return pauseOf(this.#store, pipeline)
  }

  /** Reads the jobs of runs of stages. */
  async withJobs(stages: readonly StageInstance[]): Promise<StageRun[]> {
    const ids = stages.flatMap((stage) => idsIn(stage.jobs))
    const found = await this.#store.findMany(JOB, ids.map(jobKey))
    const jobs = new Map(found.map((job) => [job.id, job]))
    return stages.map((stage) => {
      const own = idsIn(stage.jobs).flatMap((id) => jobs.get(id) ?? [])
      const waiting = own.filter(({ state }) => state === 'Scheduled').length
      return { ...summaryOf(stage, { waiting, endedAt: lastEnd(own) }), jobs: own }
    })
  }

  /** The first jobs of a run of a stage, of which there may be thousands. */
  firstJobs(stage: StageInstance, limit: number): Promise<JobInstance[]> {
    return this.#store.findMany(JOB, idsIn(stage.jobs).slice(0, limit).map(jobKey))
  }

  async #readNames(stage: StageInstance): Promise<ReadonlyMap<string, number>> {
    const jobs = await this.#store.findMany(JOB, idsIn(stage.jobs).map(jobKey))
    return new Map(jobs.map(({ name, id }) => [nameKey(name), id]))
  }
}

/** A run of a stage, given the number of its jobs that wait for agents, and when the last one ended. */
export function summaryOf(
  stage: StageInstance,
  { waiting, endedAt }: { readonly waiting: number; readonly endedAt: number | null },
): StageSummary {
  const active = isActive(stage.tally)
  return {
    stage,
    state: stageStatus(stage.tally).state,
    result: reportedResult(stage.tally),
    active,
    isWaiting: active && waiting === stage.tally.running,
    endedAt: active ? null : endedAt,
  }
}

function lastEnd(jobs: readonly JobInstance[]): number | null {
  const ends = jobs.flatMap(({ transitions }) => transitions.at(-1)?.time ?? [])
  return ends.reduce<number | null>((last, end) => Math.max(last ?? end, end), null)
}
