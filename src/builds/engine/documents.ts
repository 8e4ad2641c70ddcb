import { z } from 'zod'
import { Digest } from '../../core/digest.ts'
import type { DocumentKind } from '../../core/document-kind.ts'
import { EVENTS } from '../../core/service/service-event.ts'
import { CommitSha } from '../../core/revision.ts'
import { AgentTool, JobResult, JobState, JobTransition } from '../../core/builds/job.ts'
import { ApprovalType, JobTally } from '../../core/builds/stage.ts'
import { fitTime } from '../../history/revision/commit-limits.ts'
import { IdRanges } from './id-ranges.ts'
import { JobPlan } from './plan.ts'

const Id = z.int().positive()
const Names = z.array(z.string()).readonly()

/** The revision of one material of a pipeline run. */
export const MaterialRevision = z.object({
  fingerprint: z.string(),
  /** Its name in the configuration, if any. */
  name: z.string().nullable(),
  revision: z.string(),
  /** The oldest revision that the previous run did not include; null when unknown. */
  fromRevision: z.string().nullable().default(null),
  /** Whether it differs from the previous run. */
  changed: z.boolean().default(false),
  /** Set when the revision was requested: the one that the next automatic start compares with. */
  pinned: z.object({ built: z.string().nullable() }).exactOptional(),
})
export type MaterialRevision = Readonly<z.infer<typeof MaterialRevision>>

/** A time that pages can show. Earlier versions stored what a repository said, and null for no number. */
const ModificationTime = z
  .number()
  .nullable()
  .transform((time) => Math.trunc(fitTime(time ?? 0)))

/** One change of a repository that a run was the first to include. */
export const Modification = z.object({
  revision: z.string(),
  username: z.string(),
  time: ModificationTime,
  comment: z.string(),
})
export type Modification = Readonly<z.infer<typeof Modification>>

/** The changes of each material since the previous run, newest first; unknown for missing ones. */
export const RunChanges = z
  .array(z.object({ fingerprint: z.string(), modifications: z.array(Modification).readonly() }))
  .readonly()
export type RunChanges = z.infer<typeof RunChanges>

/** A variable given for a run. Secure values are stored encrypted. */
export const RunVariable = z.object({ name: z.string(), value: z.string(), secure: z.boolean() })
export type RunVariable = Readonly<z.infer<typeof RunVariable>>

/** The revision of the configuration by which a run was scheduled. */
export const RunConfiguration = z.object({ digest: Digest, commit: CommitSha })
export type RunConfiguration = Readonly<z.infer<typeof RunConfiguration>>
/** Null for runs of versions that did not record it. */
const ScheduledBy = RunConfiguration.nullable().default(null)

/** The jobs of stages as an earlier configuration has them. */
export const FormerStages = z.object({
  entities: Names,
  stages: z.array(z.object({ name: z.string(), jobs: z.array(JobPlan).readonly() })).readonly(),
})
export type FormerStages = Readonly<z.infer<typeof FormerStages>>

export const PipelineInstance = z.object({
  id: Id,
  name: z.string(),
  counter: Id,
  label: z.string(),
  approvedBy: z.string(),
  createdAt: z.int(),
  revisions: z.array(MaterialRevision).readonly(),
  variables: z.array(RunVariable).readonly(),
  /** The newest run of each stage, in the order of their first runs. */
  stages: z.array(z.object({ name: z.string(), counter: Id })).readonly(),
  /** The stage that failed to start automatically, and why. */
  blocked: z.object({ stage: z.string(), reason: z.string() }).nullable(),
  /**
   * The groups of the pipeline whenever a stage of the run started; null for runs of versions that
   * did not record them.
   */
  groups: Names.nullable().default(null),
  configuration: ScheduledBy,
  /**
   * The jobs of its stages by that configuration, where the run was asked to be as it was configured
   * then; null for all others, whose stages follow the configuration in force.
   */
  former: FormerStages.nullable().default(null),
})
export type PipelineInstance = Readonly<z.infer<typeof PipelineInstance>>

/** A run among those of one stage. */
export const StagePlace = z.object({ pipelineCounter: Id, stageCounter: Id })
export type StagePlace = Readonly<z.infer<typeof StagePlace>>

export const StageInstance = z.object({
  id: Id,
  pipelineName: z.string(),
  pipelineCounter: Id,
  name: z.string(),
  counter: Id,
  approvalType: ApprovalType,
  approvedBy: z.string(),
  createdAt: z.int(),
  /** The full run that a partial rerun is based on. */
  rerunOfCounter: Id.nullable(),
  /** The user who cancelled it; null otherwise, and for runs of versions that did not record it. */
  cancelledBy: z.string().nullable().default(null),
  configuration: ScheduledBy,
  /** The template and the environments that its jobs were made from, such as `template/build`. */
  entities: Names.default([]),
  /** Whether its jobs are made from that configuration, whatever is in force when they are assigned. */
  isAsThen: z.boolean().default(false),
  /**
   * The run of the stage that had passed last when this one was scheduled, null for none; absent for
   * runs of versions that did not record it.
   */
  passedBefore: StagePlace.nullable().exactOptional(),
  /** The ids of its jobs, except replaced ones. */
  jobs: IdRanges,
  tally: JobTally,
})
export type StageInstance = Readonly<z.infer<typeof StageInstance>>

export const JobInstance = z.object({
  id: Id,
  name: z.string(),
  /** The configured job that it is an instance of. */
  planName: z.string(),
  pipelineName: z.string(),
  pipelineCounter: Id,
  stageName: z.string(),
  stageCounter: Id,
  state: JobState,
  result: JobResult,
  agentUuid: z.string().nullable(),
  scheduledDate: z.int(),
  transitions: z.array(JobTransition).readonly(),
  rerun: z.boolean(),
  originalJobId: Id.nullable(),
  resources: Names,
  pinnedTo: z.string().nullable(),
  /** The key of its agent as it was at the assignment; null before, and for jobs of earlier versions. */
  ranOn: z.string().nullable().default(null),
})
export type JobInstance = Readonly<z.infer<typeof JobInstance>>

/** The fields of a job in state Scheduled that the queue needs. */
export const QueuedJob = JobInstance.pick({
  id: true,
  pipelineName: true,
  scheduledDate: true,
  resources: true,
  pinnedTo: true,
})
export type QueuedJob = Readonly<z.infer<typeof QueuedJob>>

/** A job in state Scheduled, with its name. */
export type WaitingJob = QueuedJob &
  Pick<JobInstance, 'name' | 'pipelineCounter' | 'stageName' | 'stageCounter'>

/** An agent as it was when it got a job, with the programs of its machine. */
export const RecordedAgent = z.object({
  hostname: z.string(),
  operatingSystem: z.string(),
  version: z.string(),
  resources: Names,
  environments: Names,
  tools: z.array(AgentTool).readonly(),
})
export type RecordedAgent = Readonly<z.infer<typeof RecordedAgent>>

/** Records that an agent has a job now. */
export const AgentJob = z.object({ agentUuid: z.string(), jobId: Id })
export type AgentJob = Readonly<z.infer<typeof AgentJob>>

export const PIPELINE = { name: 'pipeline', schema: PipelineInstance }
/** Stored apart from the run, which is read far more often. */
export const RUN_CHANGES = { name: 'run-changes', schema: RunChanges }
export const STAGE = { name: 'stage', schema: StageInstance }
export const JOB = { name: 'job', schema: JobInstance }
/**
 * The jobs in state Scheduled. This and the next two are derived from the jobs, to avoid reading
 * all of them.
 */
export const QUEUED_JOB = { name: 'queued-job', schema: QueuedJob }
export const AGENT_JOB = { name: 'agent-job', schema: AgentJob }
/** The keys of the stages in progress. */
export const ACTIVE_STAGE = { name: 'active-stage', schema: z.string() }
/** The newest passed run of each stage, by the counters of the pipeline and of the stage. */
export const PASSED_STAGE = { name: 'passed-stage', schema: StagePlace }
/** The result of the newest run of each stage that passed or failed. */
const StageOutcome = z.object({ pipelineCounter: Id, result: z.enum(['Passed', 'Failed']) })
export type StageOutcome = Readonly<z.infer<typeof StageOutcome>>
export const STAGE_OUTCOME = { name: 'stage-outcome', schema: StageOutcome }
/** By a digest of its text, because the same agent runs thousands of jobs. */
export const RECORDED_AGENT = { name: 'recorded-agent', schema: RecordedAgent }
/** The counter of the run that holds a pipeline's lock. */
export const PIPELINE_LOCK = { name: 'pipeline-lock', schema: Id }

/** Prevents new runs of a pipeline; records the user and the cause. */
export const PipelinePause = z.object({ by: z.string(), cause: z.string(), since: z.int() })
export type PipelinePause = Readonly<z.infer<typeof PipelinePause>>
export const PIPELINE_PAUSE = { name: 'pipeline-pause', schema: PipelinePause }

/** The last completed tick of a pipeline's timer, with the timer's setting at that time. */
export const TimerTick = z.object({ cron: z.string(), at: z.int() })
export type TimerTick = Readonly<z.infer<typeof TimerTick>>
export const TIMER_TICK = { name: 'timer-tick', schema: TimerTick }

/** Every kind of document in the builds' store. */
export const BUILD_KINDS: readonly DocumentKind<unknown>[] = [
  PIPELINE,
  RUN_CHANGES,
  STAGE,
  JOB,
  QUEUED_JOB,
  AGENT_JOB,
  ACTIVE_STAGE,
  PASSED_STAGE,
  STAGE_OUTCOME,
  RECORDED_AGENT,
  PIPELINE_LOCK,
  PIPELINE_PAUSE,
  TIMER_TICK,
  EVENTS,
]
