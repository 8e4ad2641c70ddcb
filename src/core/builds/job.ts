import { z } from 'zod'

export const JobState = z.enum([
  'Scheduled',
  'Assigned',
  'Preparing',
  'Building',
  'Completing',
  'Completed',
  'Rescheduled',
])
export type JobState = z.infer<typeof JobState>

export const JobResult = z.enum(['Passed', 'Failed', 'Cancelled', 'Unknown'])
export type JobResult = z.infer<typeof JobResult>

/** A job state and the time it was entered, in milliseconds since the UNIX epoch. */
export const JobTransition = z.object({
  id: z.int().positive(),
  state: JobState,
  time: z.int(),
})
export type JobTransition = Readonly<z.infer<typeof JobTransition>>

/** The part of a job instance that events change. */
export interface JobProgress {
  readonly state: JobState
  readonly result: JobResult
  readonly agentUuid: string | null
}

/** The last moment of a date, in milliseconds since the UNIX epoch. */
const MAX_TIME_MS = 8_640_000_000_000_000

/** A program on the machine of an agent, as its file says it: programs are not asked for their versions. */
export const AgentTool = z.object({
  name: z.string().min(1).max(100),
  /** Empty where the machine does not have the program. */
  path: z.string().max(1_000),
  size: z.int().nonnegative(),
  modifiedAt: z.int().nonnegative().max(MAX_TIME_MS),
})
export type AgentTool = Readonly<z.infer<typeof AgentTool>>

/** More tools than a job has. */
const MAX_TOOLS = 50

/** An agent's report about its job. The result is known from Completing on. */
export const JobReport = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('Preparing'),
    /** The programs that the job may use, as far as the agent finds them; agents of before do not say. */
    tools: z.array(AgentTool).max(MAX_TOOLS).readonly().exactOptional(),
  }),
  z.object({ state: z.literal('Building') }),
  z.object({ state: z.literal('Completing'), result: z.enum(['Passed', 'Failed', 'Cancelled']) }),
  z.object({ state: z.literal('Completed'), result: z.enum(['Passed', 'Failed', 'Cancelled']) }),
])
export type JobReport = Readonly<z.infer<typeof JobReport>>

export type JobEvent =
  | { readonly type: 'assign'; readonly agentUuid: string }
  | { readonly type: 'report'; readonly agentUuid: string; readonly report: JobReport }
  /** A user cancelled it. */
  | { readonly type: 'cancel' }
  /** The server fails it. */
  | { readonly type: 'fail' }
  /** Its agent is lost: another job takes its place. */
  | { readonly type: 'reschedule' }

/**
 * The effect of an event on a job: the states that it enters, in order, and the job after it.
 * `ignored` changes nothing; `refused` is a report by an agent that does not have the job.
 */
export type JobStep =
  | {
      readonly outcome: 'changed'
      readonly job: JobProgress
      readonly entered: readonly JobState[]
    }
  | { readonly outcome: 'ignored' }
  | { readonly outcome: 'refused' }

const ORDER: readonly JobState[] = [
  'Scheduled',
  'Assigned',
  'Preparing',
  'Building',
  'Completing',
  'Completed',
]
const IGNORED: JobStep = { outcome: 'ignored' }

/** Whether a stage still waits for the job. */
export function isUnfinished({ state }: Pick<JobProgress, 'state'>): boolean {
  return state !== 'Completed' && state !== 'Rescheduled'
}

export function isOnAgent(job: Pick<JobProgress, 'state'>): boolean {
  return isUnfinished(job) && job.state !== 'Scheduled'
}

export function jobStep(job: JobProgress, event: JobEvent): JobStep {
  if (event.type === 'report') return reported(job, event)
  if (event.type === 'assign') {
    if (job.state !== 'Scheduled') return IGNORED
    return entering({ ...job, agentUuid: event.agentUuid }, ['Assigned'])
  }
  if (event.type === 'reschedule') {
    return isOnAgent(job) ? entering(job, ['Rescheduled']) : IGNORED
  }
  if (!isUnfinished(job)) return IGNORED
  if (event.type === 'cancel') return entering({ ...job, result: 'Cancelled' }, ['Completed'])
  return entering({ ...job, result: 'Failed' }, ['Completing', 'Completed'])
}

function reported(
  job: JobProgress,
  { agentUuid, report }: Extract<JobEvent, { type: 'report' }>,
): JobStep {
  if (job.state === 'Rescheduled' || isCancelled(job)) return IGNORED
  if (job.agentUuid !== agentUuid) return { outcome: 'refused' }
  if (ORDER.indexOf(report.state) <= ORDER.indexOf(job.state)) return IGNORED
  const result = 'result' in report ? report.result : job.result
  return entering({ ...job, result }, [...unreported(job, report), report.state])
}

function isCancelled({ state, result }: JobProgress): boolean {
  return state === 'Completed' && result === 'Cancelled'
}

/** A job cannot end without having been built: skipped states are recorded for a fast agent. */
function unreported(job: JobProgress, report: JobReport): JobState[] {
  return job.state === 'Preparing' && 'result' in report ? ['Building'] : []
}

/** Reporting the current state again is no transition. */
function entering(job: JobProgress, states: readonly JobState[]): JobStep {
  const entered = states.filter((state) => state !== job.state)
  return { outcome: 'changed', job: { ...job, state: entered.at(-1) ?? job.state }, entered }
}
