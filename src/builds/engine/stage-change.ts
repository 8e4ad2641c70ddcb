import {
  countsAlike,
  isActive,
  retally,
  stageStatus,
  tallyOf,
  type StageResult,
} from '../../core/builds/stage.ts'
import { isSameName, stageNameKey } from '../../core/name-key.ts'
import type { BuildChange } from './change.ts'
import {
  ACTIVE_STAGE,
  JOB,
  PASSED_STAGE,
  PIPELINE,
  STAGE,
  type JobInstance,
  type PipelineInstance,
  type StageInstance,
  type StagePlace,
  STAGE_OUTCOME,
} from './documents.ts'
import { idRanges, idsIn, withReplacedId } from './id-ranges.ts'
import { addJobs, type JobDraft, type SteppedJob } from './job-change.ts'
import { activeStageKey, jobKey, pipelineKey, stageKey, stageList } from './keys.ts'
import { appendEvent, type RunEventType } from '../../core/service/service-event.ts'

/** A new run of a stage. Its counter is derived from the earlier runs. */
export type StageDraft = Pick<
  StageInstance,
  | 'name'
  | 'approvalType'
  | 'approvedBy'
  | 'rerunOfCounter'
  | 'configuration'
  | 'entities'
  | 'isAsThen'
>

/** Adds a run of a stage to a pipeline run, with the next counter. */
export async function addStage(
  change: BuildChange,
  pipeline: PipelineInstance,
  { draft, jobs }: { readonly draft: StageDraft; readonly jobs: (counter: number) => JobDraft[] },
): Promise<StageInstance> {
  const former = newestCounter(pipeline, draft.name)
  const counter = (former ?? 0) + 1
  const id = await change.tx.next('stage')
  const added = await addJobs(change, jobs(counter))
  const stage: StageInstance = {
    ...draft,
    id,
    counter,
    pipelineName: pipeline.name,
    pipelineCounter: pipeline.counter,
    createdAt: change.now,
    cancelledBy: null,
    passedBefore: await passedBefore(change, pipeline, { stage: draft.name, attempt: former }),
    jobs: idRanges(added.map((job) => job.id)),
    tally: tallyOf(added),
  }
  await putNew(change, stage)
  const group = change.plans.pipelinePlan(pipeline.name)?.group ?? null
  const run = withGroup(withNewest(pipeline, stage), group)
  await change.tx.put(PIPELINE, keyOfPipeline(pipeline), run)
  change.effects.events.push({ type: 'stage-scheduled', stage })
  return stage
}

/** Whether a change of a job can affect its stage. */
export function concernsStage({ before, job, replacement }: SteppedJob): boolean {
  return replacement !== null || !countsAlike(before, job)
}

/** Updates a stage from the results of its jobs; returns whether it ended. */
export async function settleStage(
  change: BuildChange,
  stage: StageInstance,
  steps: readonly SteppedJob[],
): Promise<{ readonly stage: StageInstance; readonly finished: boolean }> {
  const after = steps.filter(concernsStage).reduce(withStep, stage)
  if (after === stage) return { stage, finished: false }
  await change.tx.put(STAGE, keyOfStage(after), after)
  const finished = isActive(stage.tally) && !isActive(after.tally)
  if (finished) await finish(change, after)
  return { stage: after, finished }
}

/** The current jobs of a stage. */
export function jobsOf(change: BuildChange, stage: StageInstance): Promise<JobInstance[]> {
  return change.tx.findMany(JOB, idsIn(stage.jobs).map(jobKey))
}

/** The key of the run of a stage that a job is in. */
export function keyOfItsStage({
  pipelineName: pipeline,
  pipelineCounter,
  stageName: stage,
  stageCounter,
}: Pick<JobInstance, 'pipelineName' | 'pipelineCounter' | 'stageName' | 'stageCounter'>): string {
  return stageKey({ pipeline, pipelineCounter, stage, stageCounter })
}

/** The counter of the newest run of a stage in a pipeline run, or null. */
export function newestCounter(pipeline: PipelineInstance, stage: string): number | null {
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

/** The attempt before, if it passed, or the one that had passed before that; else of an earlier run. */
async function passedBefore(
  { tx }: BuildChange,
  { name: pipeline, counter: pipelineCounter }: PipelineInstance,
  { stage, attempt }: { readonly stage: string; readonly attempt: number | null },
): Promise<StagePlace | null> {
  const found =
    attempt === null
      ? null
      : await tx.find(STAGE, stageKey({ pipeline, pipelineCounter, stage, stageCounter: attempt }))
  if (found && stageStatus(found.tally).state === 'Passed') return placeOf(found)
  return found?.passedBefore ?? (await tx.find(PASSED_STAGE, stageNameKey({ pipeline, stage })))
}

function placeOf({ pipelineCounter, counter: stageCounter }: StageInstance): StagePlace {
  return { pipelineCounter, stageCounter }
}

async function putNew(change: BuildChange, stage: StageInstance): Promise<void> {
  const name = { pipeline: stage.pipelineName, stage: stage.name }
  const key = keyOfStage(stage)
  await change.tx.put(STAGE, key, stage)
  await change.tx.append(stageList(name), key)
  await change.tx.put(ACTIVE_STAGE, activeStageKey(name, stage.id), key)
}

async function finish(change: BuildChange, stage: StageInstance): Promise<void> {
  const name = { pipeline: stage.pipelineName, stage: stage.name }
  await change.tx.remove(ACTIVE_STAGE, activeStageKey(name, stage.id))
  const status = stageStatus(stage.tally)
  if (status.state === 'Passed') await notePassed(change, stage)
  await recordEnd(change, stage, status.result)
  change.effects.events.push({ type: 'stage-finished', stage, status })
}

/** A rerun of an older run is not the newest. */
async function notePassed({ tx }: BuildChange, stage: StageInstance): Promise<void> {
  const key = stageNameKey({ pipeline: stage.pipelineName, stage: stage.name })
  const known = await tx.find(PASSED_STAGE, key)
  if (known && known.pipelineCounter > stage.pipelineCounter) return
  await tx.put(PASSED_STAGE, key, placeOf(stage))
}

function withStep(stage: StageInstance, { before, job, replacement }: SteppedJob): StageInstance {
  const to = replacement ?? job
  const jobs = replacement
    ? withReplacedId(stage.jobs, { from: before.id, to: replacement.id })
    : stage.jobs
  return { ...stage, jobs, tally: retally(stage.tally, { from: before, to }) }
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

/** Access to a run is checked against every group in which it ran. */
function withGroup(pipeline: PipelineInstance, group: string | null): PipelineInstance {
  const { groups } = pipeline
  if (groups === null || group === null || groups.includes(group)) return pipeline
  return { ...pipeline, groups: [...groups, group] }
}

type Outcome = 'Passed' | 'Failed'

/** Records the end of a run of a stage as an event, in the same change. */
async function recordEnd(
  change: BuildChange,
  stage: StageInstance,
  result: StageResult,
): Promise<void> {
  const { tx, now: time } = change
  if (result === 'Unknown') return
  const { pipelineName: pipeline, pipelineCounter, name, counter: stageCounter } = stage
  const type =
    result === 'Cancelled'
      ? 'run.cancelled'
      : typeOf(result, await outcomeBefore(change, stage, result))
  const run = await tx.find(PIPELINE, pipelineKey({ pipeline, counter: pipelineCounter }))
  const { approvedBy, cancelledBy, configuration } = stage
  const label = run?.label ?? `${pipelineCounter}`
  const place = { pipeline, pipelineCounter, label, stage: name, stageCounter }
  await appendEvent(tx, { type, time, ...place, approvedBy, cancelledBy, configuration })
}

/** The outcome of the run before, which this one replaces; null when unknown. A rerun of an older run replaces nothing. */
async function outcomeBefore(
  { tx }: BuildChange,
  { pipelineName: pipeline, name: stage, pipelineCounter }: StageInstance,
  result: Outcome,
): Promise<Outcome | null> {
  const key = stageNameKey({ pipeline, stage })
  const known = await tx.find(STAGE_OUTCOME, key)
  if (known !== null && known.pipelineCounter > pipelineCounter) return null
  await tx.put(STAGE_OUTCOME, key, { pipelineCounter, result })
  return known?.result ?? null
}

function typeOf(result: Outcome, previous: Outcome | null): RunEventType {
  if (result === 'Passed') return previous === 'Failed' ? 'run.fixed' : 'run.passed'
  return previous === 'Passed' ? 'run.broken' : 'run.failed'
}
