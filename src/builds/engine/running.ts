import { ServiceError } from '../../core/errors.ts'
import type { JobEvent, JobReport } from '../../core/builds/job.ts'
import { isActive, APPROVED_BY_CHANGES, stageStatus } from '../../core/builds/stage.ts'
import type { BuildChange } from './change.ts'
import {
  ACTIVE_STAGE,
  AGENT_JOB,
  JOB,
  RECORDED_AGENT,
  STAGE,
  type JobInstance,
  type RecordedAgent,
  type StageInstance,
  PIPELINE,
  type PipelineInstance,
} from './documents.ts'
import { stepJob, type JobFacts, type SteppedJob } from './job-change.ts'
import {
  activeStagePrefix,
  agentJobPrefix,
  jobKey,
  stageKey,
  type StageRunName,
  pipelineKey,
  type StageName,
} from './keys.ts'
import { concernsStage, jobsOf, keyOfItsStage, keyOfPipeline, settleStage } from './stage-change.ts'
import { isSameName } from '../../core/name-key.ts'
import { dropLock } from './lock.ts'
import type { StagePlan } from './plan.ts'
import { beginStage } from './schedule.ts'
import { createHash } from 'node:crypto'

export interface AgentReport {
  readonly agentUuid: string
  readonly jobId: number
  readonly report: JobReport
}

/** Assigns a job to an agent; null when the job no longer waits for one. */
export async function assignJob(
  change: BuildChange,
  given: {
    readonly jobId: number
    readonly agentUuid: string
    /** The agent as it is now; null when unknown. */
    readonly agent: RecordedAgent | null
  },
): Promise<JobInstance | null> {
  const { jobId, agentUuid, agent } = given
  const ranOn = agent && (await recordAgent(change, agent))
  const { outcome, job } = await stepOne(change, jobId, { type: 'assign', agentUuid }, { ranOn })
  return outcome === 'changed' ? job : null
}

/** Records an agent's report about its job. A job that was taken from it is not changed. */
export async function applyReport(
  change: BuildChange,
  { agentUuid, jobId, report }: AgentReport,
): Promise<JobInstance> {
  const event = { type: 'report', agentUuid, report } as const
  const { outcome, job } = await stepOne(change, jobId, event)
  if (outcome !== 'refused') return job
  const message = `The agent ${agentUuid} does not have the job ${jobId}`
  throw new ServiceError('job-not-yours', message, { id: jobId, uuid: agentUuid })
}

/** Ends a job; returns whether it was still active. */
export async function endJob(
  change: BuildChange,
  jobId: number,
  event: Extract<JobEvent, { type: 'cancel' | 'fail' }>,
): Promise<boolean> {
  const { outcome } = await stepOne(change, jobId, event)
  return outcome === 'changed'
}

/** Cancels the newest active run of a stage, with all its unfinished jobs. */
export async function cancelActiveStage(
  change: BuildChange,
  name: StageName,
  by: string | null,
): Promise<StageInstance | null> {
  const active = await change.tx.list(ACTIVE_STAGE, activeStagePrefix(name))
  const newest = active.at(-1)
  const stage = newest ? await change.tx.find(STAGE, newest.value) : null
  return stage ? cancelRun(change, stage, by) : null
}

/** Cancels one run of a stage if it is active. */
export async function cancelRunOf(
  change: BuildChange,
  run: StageRunName,
  by: string | null,
): Promise<StageInstance | null> {
  const [cancelled = null] = await cancelRuns(change, [stageKey(run)], { chosen: () => true, by })
  return cancelled
}

/** Cancels those active runs that `chosen` names. */
export async function cancelRuns(
  change: BuildChange,
  keys: readonly string[],
  {
    chosen,
    by,
  }: { readonly chosen: (stage: StageInstance) => boolean; readonly by: string | null },
): Promise<StageInstance[]> {
  const stages = await change.tx.findMany(STAGE, keys)
  const cancelled: StageInstance[] = []
  for (const stage of stages) {
    if (chosen(stage) && isActive(stage.tally)) cancelled.push(await cancelRun(change, stage, by))
  }
  return cancelled
}

async function cancelRun(
  change: BuildChange,
  stage: StageInstance,
  by: string | null,
): Promise<StageInstance> {
  const steps: SteppedJob[] = []
  for (const job of await jobsOf(change, stage)) {
    steps.push(await stepJob(change, job, { type: 'cancel' }))
  }
  return settle(change, { ...stage, cancelledBy: by }, steps)
}

/** Requeues the jobs that these agents still have. */
export async function rescheduleJobs(
  change: BuildChange,
  isLost: (agentUuid: string) => boolean,
  prefix = '',
): Promise<number> {
  const owned = await change.tx.list(AGENT_JOB, prefix)
  const lost = owned.filter(({ value }) => isLost(value.agentUuid))
  for (const { value } of lost) await stepOne(change, value.jobId, { type: 'reschedule' })
  return lost.length
}

/** Requeues the jobs that one agent still has. */
export function rescheduleJobsOf(change: BuildChange, agentUuid: string): Promise<number> {
  return rescheduleJobs(change, (uuid) => uuid === agentUuid, agentJobPrefix(agentUuid))
}

async function stepOne(
  change: BuildChange,
  jobId: number,
  event: JobEvent,
  facts?: JobFacts,
): Promise<SteppedJob> {
  const job = await change.tx.find(JOB, jobKey(jobId))
  if (!job) throw new ServiceError('job-not-found', `There is no job ${jobId}`, { id: jobId })
  const step = await stepJob(change, job, event, facts ?? (await factsOfReport(change, job, event)))
  if (concernsStage(step)) await settle(change, await stageOf(change, job), [step])
  return step
}

/** The agent names the programs that the job may use when it begins. */
async function factsOfReport(
  change: BuildChange,
  job: JobInstance,
  event: JobEvent,
): Promise<JobFacts> {
  if (event.type !== 'report' || event.report.state !== 'Preparing') return {}
  const { tools } = event.report
  const isFirst = job.state === 'Assigned' && job.agentUuid === event.agentUuid
  if (tools === undefined || job.ranOn === null || !isFirst) return {}
  const agent = await change.tx.find(RECORDED_AGENT, job.ranOn)
  return agent === null ? {} : { ranOn: await recordAgent(change, { ...agent, tools }) }
}

async function stageOf({ tx }: BuildChange, job: JobInstance): Promise<StageInstance> {
  const key = keyOfItsStage(job)
  const stage = await tx.find(STAGE, key)
  if (stage) return stage
  const reason = `the stage ${key} of the job ${job.id} is missing`
  throw new ServiceError('unavailable', `The state store is damaged: ${reason}`, { reason })
}

/** Updates a stage from the results of its jobs, and starts the next one when the stage ends. */
async function settle(
  change: BuildChange,
  stage: StageInstance,
  steps: readonly SteppedJob[],
): Promise<StageInstance> {
  const settled = await settleStage(change, stage, steps)
  if (settled.finished) await followUp(change, settled.stage)
  return settled.stage
}

async function followUp(change: BuildChange, stage: StageInstance): Promise<void> {
  const { pipelineName: name, pipelineCounter: counter } = stage
  const plan = change.plans.pipelinePlan(name)
  const stages = plan?.stages ?? []
  const index = stages.findIndex((each) => isSameName(each.name, stage.name))
  const next = index < 0 ? null : (stages[index + 1] ?? null)
  const goesOn = next !== null && (await startNext(change, stage, next))
  const isOver = next === null || (plan?.unlocksWhenFinished === true && !goesOn)
  if (isOver) await dropLock(change, { name, counter })
}

/**
 * Starts an automatic stage after one that has passed; returns whether it began. The end of a stage
 * is recorded even if the next one cannot start.
 */
async function startNext(
  change: BuildChange,
  ended: StageInstance,
  plan: StagePlan,
): Promise<boolean> {
  if (plan.approvalType !== 'success') return false
  if (stageStatus(ended.tally).state !== 'Passed') return false
  const { pipelineName: name, pipelineCounter: counter } = ended
  const pipeline = await change.tx.find(PIPELINE, pipelineKey({ pipeline: name, counter }))
  if (!pipeline) return false
  try {
    await beginStage(change, pipeline, { plan, approvedBy: APPROVED_BY_CHANGES })
    return true
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not-schedulable') throw error
    await block(change, pipeline, { stage: plan.name, reason: error.message })
    return false
  }
}

async function block(
  change: BuildChange,
  pipeline: PipelineInstance,
  blocked: { readonly stage: string; readonly reason: string },
): Promise<void> {
  await change.tx.put(PIPELINE, keyOfPipeline(pipeline), { ...pipeline, blocked })
  const { name, counter } = pipeline
  change.effects.events.push({ type: 'stage-blocked', pipeline: name, counter, ...blocked })
}

/** Records an agent as it is, once however many jobs it gets, and returns the key. */
async function recordAgent({ tx }: BuildChange, agent: RecordedAgent): Promise<string> {
  const { hostname, operatingSystem, version, resources, environments, tools } = agent
  const parts = [hostname, operatingSystem, version, resources, environments, tools]
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  if ((await tx.find(RECORDED_AGENT, key)) === null) await tx.put(RECORDED_AGENT, key, agent)
  return key
}
