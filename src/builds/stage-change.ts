import type { JobEvent } from '../core/job.ts'
import { isActive, retally, stageStatus, tallyOf } from '../core/stage.ts'
import type { Change } from './change.ts'
import { ACTIVE_STAGE, JOB, PIPELINE, STAGE } from './documents.ts'
import type { JobInstance, PipelineInstance, StageInstance } from './documents.ts'
import { addJobs, stepJob } from './job-change.ts'
import type { JobDraft, SteppedJob } from './job-change.ts'
import { activeStageKey, jobKey, pipelineKey, stageKey, stageList } from './keys.ts'
import { isSameName } from './plan.ts'

/** What a run of a stage begins as. Its counter follows from the runs before it. */
export type StageDraft = Pick<
  StageInstance,
  'name' | 'approvalType' | 'approvedBy' | 'rerunOfCounter'
>

/** Adds a run of a stage to a pipeline run, as its newest, with the counter that comes next. */
export async function addStage(
  change: Change,
  pipeline: PipelineInstance,
  { draft, jobs }: { readonly draft: StageDraft; readonly jobs: (counter: number) => JobDraft[] },
): Promise<StageInstance> {
  const counter = (latestRun(pipeline, draft.name) ?? 0) + 1
  const id = await change.tx.next('stage')
  const added = await addJobs(change, jobs(counter))
  const stage: StageInstance = {
    ...draft,
    id,
    counter,
    pipelineName: pipeline.name,
    pipelineCounter: pipeline.counter,
    createdAt: change.now,
    jobs: added.map((job) => job.id),
    tally: tallyOf(added),
  }
  await putNew(change, stage)
  await change.tx.put(PIPELINE, keyOfPipeline(pipeline), withNewest(pipeline, stage))
  change.effects.events.push({ type: 'stage-scheduled', stage })
  return stage
}

/** What became of a stage and of the jobs to which something happened. */
export interface SteppedStage {
  readonly stage: StageInstance
  readonly jobs: readonly SteppedJob[]
  /** Whether it ended with this. */
  readonly finished: boolean
}

/** Lets one event happen to some jobs of a stage. */
export async function stepJobs(
  change: Change,
  { stage, jobs }: { readonly stage: StageInstance; readonly jobs: readonly JobInstance[] },
  event: JobEvent,
): Promise<SteppedStage> {
  const stepped: SteppedJob[] = []
  let after = stage
  for (const before of jobs) {
    const step = await stepJob(change, before, event)
    stepped.push(step)
    after = withStep(after, before, step)
  }
  if (after !== stage) await change.tx.put(STAGE, keyOfStage(after), after)
  const finished = isActive(stage.tally) && !isActive(after.tally)
  if (finished) await finish(change, after)
  return { stage: after, jobs: stepped, finished }
}

/** The jobs of a stage as they are now. */
export function jobsOf(change: Change, stage: StageInstance): Promise<JobInstance[]> {
  return change.tx.findMany(JOB, stage.jobs.map(jobKey))
}

/** The counter of the newest run of a stage in a pipeline run, or null. */
export function latestRun(pipeline: PipelineInstance, stage: string): number | null {
  return pipeline.stages.find(({ name }) => isSameName(name, stage))?.counter ?? null
}

export function keyOfPipeline({ name, counter }: PipelineInstance): string {
  return pipelineKey({ pipeline: name, counter })
}

export function keyOfStage({
  pipelineName,
  pipelineCounter,
  name,
  counter,
}: StageInstance): string {
  const run = { pipeline: pipelineName, pipelineCounter, stage: name, stageCounter: counter }
  return stageKey(run)
}

async function putNew(change: Change, stage: StageInstance): Promise<void> {
  const name = { pipeline: stage.pipelineName, stage: stage.name }
  const key = keyOfStage(stage)
  await change.tx.put(STAGE, key, stage)
  await change.tx.append(stageList(name), key)
  await change.tx.put(ACTIVE_STAGE, activeStageKey(name, stage.id), key)
}

async function finish(change: Change, stage: StageInstance): Promise<void> {
  const name = { pipeline: stage.pipelineName, stage: stage.name }
  await change.tx.remove(ACTIVE_STAGE, activeStageKey(name, stage.id))
  change.effects.events.push({ type: 'stage-finished', stage, status: stageStatus(stage.tally) })
}

function withStep(stage: StageInstance, from: JobInstance, step: SteppedJob): StageInstance {
  const to = step.replacement ?? step.job
  const tally = retally(stage.tally, { from, to })
  if (to.id === from.id && tally === stage.tally) return stage
  return { ...stage, tally, jobs: stage.jobs.map((id) => (id === from.id ? to.id : id)) }
}

function withNewest(
  pipeline: PipelineInstance,
  { name, counter }: StageInstance,
): PipelineInstance {
  const others = pipeline.stages.filter((stage) => !isSameName(stage.name, name))
  const stages =
    others.length === pipeline.stages.length
      ? [...others, { name, counter }]
      : pipeline.stages.map((stage) => (isSameName(stage.name, name) ? { name, counter } : stage))
  return { ...pipeline, stages, blocked: null }
}
