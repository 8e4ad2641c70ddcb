import { ServiceError } from '../../core/errors.ts'
import { renderLabel } from '../../core/builds/label.ts'
import { rerunObstacle, rerunOfCounter } from '../../core/builds/rerun.ts'
import { isActive, stageStatus } from '../../core/builds/stage.ts'
import { isSameName } from '../../core/name-key.ts'
import type { StateReader } from '../../state/documents.ts'
import type { BuildChange } from './change.ts'
import {
  PIPELINE,
  PIPELINE_LOCK,
  RUN_CHANGES,
  STAGE,
  type MaterialRevision,
  type PipelineInstance,
  type RunChanges,
  type RunVariable,
  type StageInstance,
  type TimerTick,
} from './documents.ts'
import {
  pipelineKey,
  pipelineList,
  revisionList,
  type PipelineRun,
  stageKey,
  type StageName,
  type StageRunName,
} from './keys.ts'
import { lockKey, lockObstacle, dropLock, takeLock } from './lock.ts'
import { pauseObstacle } from './pause.ts'
import { stagePlan, type FormerPlan, type PipelinePlan, type StagePlan } from './plan.ts'
import { addStage, jobsOf, keyOfPipeline, newestCounter } from './stage-change.ts'
import { pipelineNotFound, runNotFound, stageNotFound } from './stage-not-found.ts'
import { formerStagesOf, jobSourceOf, type JobSource } from './job-source.ts'
import { allJobs, someJobs, type JobsToCome } from './stage-jobs.ts'
import { recordTicks } from './timer-ticks.ts'

export interface RunRequest {
  readonly pipeline: string
  /** A user, or `changes`. */
  readonly approvedBy: string
  readonly revisions: readonly MaterialRevision[]
  readonly variables?: readonly RunVariable[]
  readonly changes?: RunChanges
  /**
   * The counter of the newest run at the time of the decision to start another one; a run since
   * then voids the decision.
   */
  readonly after?: number
  /** The tick of the pipeline's timer that is done with this run. */
  readonly tick?: TimerTick
  /** The earlier configuration that the jobs of all its stages are made from. */
  readonly former?: FormerPlan
}

export interface StageRequest extends PipelineRun, StageName {
  readonly approvedBy: string
  /** The earlier configuration that its jobs are made from. */
  readonly former?: FormerPlan
}

export interface JobsRequest extends StageRunName {
  readonly approvedBy: string
  /** The jobs to run again; the results of the others are copied. */
  readonly jobs: readonly string[]
  /** The earlier configuration that those are made from. */
  readonly former?: FormerPlan
}

/** Starts a run of a pipeline with its first stage. */
export async function schedulePipeline(
  change: BuildChange,
  request: RunRequest,
): Promise<PipelineInstance> {
  const { pipeline: name, approvedBy, revisions, variables = [], changes = [], tick } = request
  const plan = planOf(change, name)
  await assertNewest(change, plan, request.after)
  const obstacle = await startObstacle(change.tx, plan)
  if (obstacle) throw obstacle
  const [first] = plan.stages
  if (!first) throw noStage(name)
  const facts = { approvedBy, revisions, variables }
  const pipeline = await addPipeline(change, { plan, former: request.former ?? null }, facts)
  await noteChanges(change, { ...pipeline, changes })
  await takeLock(change, plan, pipeline)
  if (tick) await recordTicks(change, new Map([[name, tick]]))
  await beginStage(change, pipeline, { plan: first, approvedBy })
  return (await change.tx.find(PIPELINE, keyOfPipeline(pipeline))) ?? pipeline
}

/** The reason why a new run of a pipeline cannot start, or null. */
export async function startObstacle(
  reader: StateReader,
  plan: PipelinePlan,
): Promise<ServiceError | null> {
  const paused = await pauseObstacle(reader, plan)
  if (paused) return paused
  return plan.stages.length === 0 ? noStage(plan.name) : lockObstacle(reader, plan, null)
}

/** Adds changes of a run that were found later. */
export async function noteChanges(
  { tx }: BuildChange,
  { name, counter, changes }: { name: string; counter: number; changes: RunChanges },
): Promise<void> {
  if (changes.length === 0) return
  const key = pipelineKey({ pipeline: name, counter })
  const earlier = (await tx.find(RUN_CHANGES, key)) ?? []
  await tx.put(RUN_CHANGES, key, [...earlier, ...changes])
}

/** Runs a stage of a pipeline run, for the first time or again with all its jobs. */
export async function scheduleStage(
  change: BuildChange,
  request: StageRequest,
): Promise<StageInstance> {
  const { pipeline, plan, stage } = await stageToRun(change, request)
  const before = plan.stages[plan.stages.indexOf(stage) - 1]
  if (before && newestCounter(pipeline, before.name) === null) {
    throw notSchedulable(request, `the stage ${before.name} before it has not run`)
  }
  if (before && stage.allowOnlyOnSuccess) await assertPassed(change, pipeline, { before, stage })
  const { approvedBy, former } = request
  return beginStage(change, pipeline, { plan: stage, approvedBy, former })
}

/** A stage that has run in this run before may always run again. */
async function assertPassed(
  change: BuildChange,
  pipeline: PipelineInstance,
  { before, stage }: Record<'before' | 'stage', StagePlan>,
): Promise<void> {
  if (newestCounter(pipeline, stage.name) !== null) return
  const earlier = (await newestStages(change, pipeline)).find(({ name }) =>
    isSameName(name, before.name),
  )
  if (earlier && stageStatus(earlier.tally).state === 'Passed') return
  const reason = `the stage ${before.name} before it has not passed, and allowOnlyOnSuccess asks for that`
  throw notSchedulable({ pipeline: pipeline.name, stage: stage.name }, reason)
}

/** Runs some jobs of a finished run of a stage again, in a new run. */
export async function rerunJobs(change: BuildChange, request: JobsRequest): Promise<StageInstance> {
  const run = { ...request, counter: request.pipelineCounter }
  const { pipeline, stage: plan } = await stageToRun(change, run)
  const stage = await change.tx.find(STAGE, stageKey(request))
  if (!stage) throw runNotFound(request)
  const earlier = await jobsOf(change, stage)
  const obstacle = rerunObstacle({ active: isActive(stage.tally), jobs: earlier }, request.jobs)
  if (obstacle !== null) throw notSchedulable(request, obstacle)
  const { approvedBy, former } = request
  const source = jobSourceOf(change, pipeline, { plan, former })
  const jobs = someJobs(change, pipeline, { plan: source.plan, earlier, names: request.jobs })
  const rerunOf = rerunOfCounter(stage)
  return start(change, pipeline, { source, approvedBy, jobs, rerunOf })
}

/** @throws {ServiceError} `not-schedulable` when a job that runs on all agents has none. */
export function beginStage(
  change: BuildChange,
  pipeline: PipelineInstance,
  of: {
    readonly plan: StagePlan
    readonly approvedBy: string
    readonly former?: FormerPlan | undefined
  },
): Promise<StageInstance> {
  const source = jobSourceOf(change, pipeline, of)
  const jobs = allJobs(change, pipeline, source.plan)
  return start(change, pipeline, { source, approvedBy: of.approvedBy, jobs, rerunOf: null })
}

/** Takes the lock from the run that holds it, unless that run is active. */
export async function unlockPipeline(change: BuildChange, name: string): Promise<number | null> {
  const counter = await change.tx.find(PIPELINE_LOCK, lockKey(name))
  if (counter === null) return null
  const run = await change.tx.find(PIPELINE, pipelineKey({ pipeline: name, counter }))
  const active = run && (await activeStageOf(change, run))
  if (active) {
    const message = `The run ${counter} of the pipeline ${name} keeps its lock: the stage ${active.name} is in progress`
    throw new ServiceError('pipeline-locked', message, { pipeline: name, counter })
  }
  await dropLock(change, { name, counter })
  return counter
}

async function start(
  change: BuildChange,
  pipeline: PipelineInstance,
  of: {
    readonly source: JobSource
    readonly approvedBy: string
    readonly jobs: JobsToCome
    readonly rerunOf: number | null
  },
): Promise<StageInstance> {
  const { plan, ...made } = of.source
  const { name, approvalType } = plan
  if ('obstacle' in of.jobs) {
    throw notSchedulable({ pipeline: pipeline.name, stage: name }, of.jobs.obstacle)
  }
  const { approvedBy, rerunOf } = of
  const draft = { name, approvalType, approvedBy, rerunOfCounter: rerunOf, ...made }
  return addStage(change, pipeline, { draft, jobs: of.jobs.jobs })
}

async function stageToRun(change: BuildChange, request: StageRequest) {
  const pipeline = await change.tx.find(PIPELINE, pipelineKey(request))
  const plan = planOf(change, request.pipeline)
  const stage = stagePlan(plan, request.stage)
  if (!stage) throw stageNotFound(request)
  if (!pipeline) throw runNotFound(request)
  const active = await activeStageOf(change, pipeline)
  if (active) throw notSchedulable(request, `the stage ${active.name} is still in progress`)
  const obstacle =
    (await pauseObstacle(change.tx, plan)) ?? (await lockObstacle(change.tx, plan, pipeline))
  if (obstacle) throw obstacle
  await takeLock(change, plan, pipeline)
  return { pipeline, plan, stage }
}

async function activeStageOf(
  change: BuildChange,
  pipeline: PipelineInstance,
): Promise<StageInstance | null> {
  const stages = await newestStages(change, pipeline)
  return stages.find(({ tally }) => isActive(tally)) ?? null
}

/** The newest run of each stage of a pipeline run. */
function newestStages(
  { tx }: BuildChange,
  { name: pipeline, counter: pipelineCounter, stages }: PipelineInstance,
): Promise<StageInstance[]> {
  const keys = stages.map(({ name: stage, counter: stageCounter }) =>
    stageKey({ pipeline, pipelineCounter, stage, stageCounter }),
  )
  return tx.findMany(STAGE, keys)
}

async function addPipeline(
  change: BuildChange,
  { plan, former }: { readonly plan: PipelinePlan; readonly former: FormerPlan | null },
  facts: Pick<PipelineInstance, 'approvedBy' | 'revisions' | 'variables'>,
): Promise<PipelineInstance> {
  const counter = await change.tx.next(pipelineList(plan.name))
  const revisions = new Map(
    facts.revisions.flatMap(({ name, revision }) => (name === null ? [] : [[name, revision]])),
  )
  const pipeline: PipelineInstance = {
    ...facts,
    id: await change.tx.next('pipeline'),
    name: plan.name,
    counter,
    label: renderLabel((former?.plan ?? plan).labelTemplate, {
      counter,
      revisions,
      variables: labelVariables(former?.plan ?? plan, facts.variables),
    }),
    createdAt: change.now,
    stages: [],
    blocked: null,
    groups: [plan.group],
    configuration: former?.configuration ?? change.plans.configuration(),
    former: former && formerStagesOf(former),
  }
  await change.tx.put(PIPELINE, keyOfPipeline(pipeline), pipeline)
  await change.tx.append(pipelineList(plan.name), keyOfPipeline(pipeline))
  const { configuration } = pipeline
  if (configuration !== null) {
    await change.tx.append(revisionList(configuration.commit), keyOfPipeline(pipeline))
  }
  return pipeline
}

/** A run may have other values of the plain variables. */
function labelVariables(
  { labelVariables: configured }: PipelinePlan,
  given: readonly RunVariable[],
): ReadonlyMap<string, string> {
  const variables = new Map(configured)
  for (const { name, value, secure } of given) {
    if (!secure && configured.has(name)) variables.set(name, value)
  }
  return variables
}

async function assertNewest(
  { tx }: BuildChange,
  { name, stages }: PipelinePlan,
  after: number | undefined,
): Promise<void> {
  if (after === undefined || (await tx.counter(pipelineList(name))) <= after) return
  const stage = stages[0]?.name ?? ''
  throw notSchedulable({ pipeline: name, stage }, 'another run has begun meanwhile')
}

export function planOf({ plans }: Pick<BuildChange, 'plans'>, pipeline: string): PipelinePlan {
  const plan = plans.pipelinePlan(pipeline)
  if (plan) return plan
  throw pipelineNotFound(pipeline)
}

function noStage(pipeline: string): ServiceError {
  return notSchedulable({ pipeline, stage: '' }, 'it has no stage')
}

function notSchedulable(
  { pipeline, stage }: StageName,
  reason: string,
): ServiceError<'not-schedulable'> {
  const message = `The stage ${stage} of the pipeline ${pipeline} cannot start: ${reason}`
  return new ServiceError('not-schedulable', message, { pipeline, stage, reason })
}
