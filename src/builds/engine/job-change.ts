import {
  isOnAgent,
  isUnfinished,
  jobStep,
  type JobEvent,
  type JobStep,
  type JobTransition,
} from '../../core/builds/job.ts'
import type { BuildChange } from './change.ts'
import { AGENT_JOB, JOB, QUEUED_JOB, type JobInstance, type QueuedJob } from './documents.ts'
import { agentJobKey, agentList, jobKey } from './keys.ts'

/** A job before it is stored. */
export type JobDraft = Omit<JobInstance, 'id' | 'transitions'> & {
  readonly entered: readonly Entered[]
}

type Entered = Omit<JobTransition, 'id'>

/** Facts that come with an event. */
export type JobFacts = Partial<Pick<JobInstance, 'ranOn'>>

/** The result of an event: the job after it, and the job that replaces it, if any. */
export interface SteppedJob {
  readonly outcome: JobStep['outcome']
  readonly before: JobInstance
  readonly job: JobInstance
  readonly replacement: JobInstance | null
}

export async function addJobs(
  change: BuildChange,
  drafts: readonly JobDraft[],
): Promise<JobInstance[]> {
  const firstId = await change.tx.next('job', drafts.length)
  const jobs: JobInstance[] = []
  for (const [index, { entered, ...facts }] of drafts.entries()) {
    const transitions = await numbered(change, entered)
    const job = { ...facts, id: firstId + index, transitions }
    await change.tx.put(JOB, jobKey(job.id), job)
    if (job.state === 'Scheduled') await enqueue(change, job)
    jobs.push(job)
  }
  return jobs
}

/** Applies an event to a job, and updates the queue and the agents' lists. */
export async function stepJob(
  change: BuildChange,
  job: JobInstance,
  event: JobEvent,
  facts: JobFacts = {},
): Promise<SteppedJob> {
  const step = jobStep(job, event)
  if (step.outcome !== 'changed') {
    return { outcome: step.outcome, before: job, job, replacement: null }
  }
  const entered = step.entered.map((state) => ({ state, time: change.now }))
  const transitions = [...job.transitions, ...(await numbered(change, entered))]
  const after: JobInstance = { ...job, ...step.job, ...facts, transitions }
  await change.tx.put(JOB, jobKey(job.id), after)
  await updateQueue(change, job, after)
  await updateAgent(change, job, after)
  if (event.type !== 'report') noteAgent(change, job)
  noteProgress(change, job, after)
  const replacement = after.state === 'Rescheduled' ? await replace(change, after) : null
  return { outcome: 'changed', before: job, job: after, replacement }
}

function noteProgress(change: BuildChange, before: JobInstance, after: JobInstance): void {
  const { events } = change.effects
  if (after.state === 'Assigned') {
    events.push({ type: 'job-assigned', waitedMs: Math.max(0, change.now - after.scheduledDate) })
  }
  if (isUnfinished(before) && after.state === 'Completed') {
    events.push({ type: 'job-finished', result: after.result })
  }
}

async function updateQueue(
  change: BuildChange,
  before: JobInstance,
  after: JobInstance,
): Promise<void> {
  if (before.state !== 'Scheduled' || after.state === 'Scheduled') return
  await change.tx.remove(QUEUED_JOB, jobKey(after.id))
  change.effects.unqueued.push(after.id)
}

/** An agent's history lists its jobs in the order in which they ended. */
async function updateAgent(
  change: BuildChange,
  before: JobInstance,
  after: JobInstance,
): Promise<void> {
  const { agentUuid, id: jobId } = after
  if (agentUuid === null || isOnAgent(before) === isOnAgent(after)) return
  const agentJob = { agentUuid, jobId }
  if (isOnAgent(after)) {
    await change.tx.put(AGENT_JOB, agentJobKey(agentJob), agentJob)
    return
  }
  await change.tx.remove(AGENT_JOB, agentJobKey(agentJob))
  await change.tx.append(agentList(agentUuid), jobKey(jobId))
}

function noteAgent(change: BuildChange, before: JobInstance): void {
  const { agentUuid, id: jobId } = before
  if (agentUuid === null || !isOnAgent(before)) return
  change.effects.events.push({ type: 'job-stopped', jobId, agentUuid })
}

async function replace(change: BuildChange, lost: JobInstance): Promise<JobInstance | null> {
  const draft = scheduled({ ...lost, scheduledDate: change.now })
  const [replacement] = await addJobs(change, [draft])
  return replacement ?? null
}

/** A job that waits for an agent, regardless of its earlier states. */
export function scheduled(
  facts: Omit<JobDraft, 'entered' | 'state' | 'result' | 'agentUuid' | 'ranOn'>,
): JobDraft {
  return {
    ...facts,
    state: 'Scheduled',
    result: 'Unknown',
    agentUuid: null,
    ranOn: null,
    entered: [{ state: 'Scheduled', time: facts.scheduledDate }],
  }
}

async function enqueue(change: BuildChange, job: JobInstance): Promise<void> {
  const { id, pipelineName, scheduledDate, resources, pinnedTo } = job
  const queued: QueuedJob = { id, pipelineName, scheduledDate, resources, pinnedTo }
  await change.tx.put(QUEUED_JOB, jobKey(id), queued)
  change.effects.queued.push(job)
}

async function numbered(
  change: BuildChange,
  entered: readonly Entered[],
): Promise<JobTransition[]> {
  if (entered.length === 0) return []
  const first = await change.tx.next('transition', entered.length)
  return entered.map((transition, index) => ({ id: first + index, ...transition }))
}
