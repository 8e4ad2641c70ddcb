import { z } from 'zod'
import type { DocumentKind } from '../../core/document-kind.ts'
import { JobResult, JobState, JobTransition } from '../../core/builds/job.ts'
import { ApprovalType, JobTally } from '../../core/builds/stage.ts'
import { IdRanges } from './id-ranges.ts'

const Id = z.int().positive()
const Names = z.array(z.string()).readonly()

/** The revision of one material that a pipeline run is made from. */
export const MaterialRevision = z.object({
  fingerprint: z.string(),
  /** The name it has in the configuration, if any. */
  name: z.string().nullable(),
  revision: z.string(),
  /** The oldest revision that the run before did not have; null when that is not known. */
  fromRevision: z.string().nullable().default(null),
  /** Whether the run before had another one. */
  changed: z.boolean().default(false),
  /** Set when it was asked for by name: what the pipeline goes on from when it next starts by itself. */
  pinned: z.object({ built: z.string().nullable() }).exactOptional(),
})
export type MaterialRevision = Readonly<z.infer<typeof MaterialRevision>>

/** One change of a repository that a run was the first to have. */
export const Modification = z.object({
  revision: z.string(),
  username: z.string(),
  time: z.int(),
  comment: z.string(),
})
export type Modification = Readonly<z.infer<typeof Modification>>

/** What had changed of each material since the run before, newest first; of others it is not known. */
export const RunChanges = z
  .array(z.object({ fingerprint: z.string(), modifications: z.array(Modification).readonly() }))
  .readonly()
export type RunChanges = z.infer<typeof RunChanges>

/** A variable given when a run was started. Secure values are kept encrypted. */
export const RunVariable = z.object({ name: z.string(), value: z.string(), secure: z.boolean() })
export type RunVariable = Readonly<z.infer<typeof RunVariable>>

export const PipelineInstance = z.object({
  id: Id,
  name: z.string(),
  counter: Id,
  label: z.string(),
  approvedBy: z.string(),
  createdAt: z.int(),
  revisions: z.array(MaterialRevision).readonly(),
  variables: z.array(RunVariable).readonly(),
  /** The newest run of each stage that has run, in the order of their first runs. */
  stages: z.array(z.object({ name: z.string(), counter: Id })).readonly(),
  /** The stage that should have started by itself and could not, and why. */
  blocked: z.object({ stage: z.string(), reason: z.string() }).nullable(),
  /** The groups that the pipeline was in when a stage of the run started; null for a run of a version that did not record them. */
  groups: Names.nullable().default(null),
})
export type PipelineInstance = Readonly<z.infer<typeof PipelineInstance>>

export const StageInstance = z.object({
  id: Id,
  pipelineName: z.string(),
  pipelineCounter: Id,
  name: z.string(),
  counter: Id,
  approvalType: ApprovalType,
  approvedBy: z.string(),
  createdAt: z.int(),
  /** The full run that a run of some jobs stems from. */
  rerunOfCounter: Id.nullable(),
  /** The ids of its jobs, without those that another one replaced. */
  jobs: IdRanges,
  tally: JobTally,
})
export type StageInstance = Readonly<z.infer<typeof StageInstance>>

export const JobInstance = z.object({
  id: Id,
  name: z.string(),
  /** The job of the configuration that it is an instance of. */
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
})
export type JobInstance = Readonly<z.infer<typeof JobInstance>>

/** What the queue needs of a job in state Scheduled. */
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

/** That an agent has a job now. */
export const AgentJob = z.object({ agentUuid: z.string(), jobId: Id })
export type AgentJob = Readonly<z.infer<typeof AgentJob>>

export const PIPELINE = { name: 'pipeline', schema: PipelineInstance }
/** Beside the run, which is read far more often. */
export const RUN_CHANGES = { name: 'run-changes', schema: RunChanges }
export const STAGE = { name: 'stage', schema: StageInstance }
export const JOB = { name: 'job', schema: JobInstance }
/** The jobs in state Scheduled. This and the next two follow from the jobs; they save reading all of them. */
export const QUEUED_JOB = { name: 'queued-job', schema: QueuedJob }
export const AGENT_JOB = { name: 'agent-job', schema: AgentJob }
/** The keys of the stages in progress. */
export const ACTIVE_STAGE = { name: 'active-stage', schema: z.string() }
/** The counter of the run that holds a pipeline's lock. */
export const PIPELINE_LOCK = { name: 'pipeline-lock', schema: Id }

/** That a pipeline is to start no runs, by whom and why. */
export const PipelinePause = z.object({ by: z.string(), cause: z.string(), since: z.int() })
export type PipelinePause = Readonly<z.infer<typeof PipelinePause>>
export const PIPELINE_PAUSE = { name: 'pipeline-pause', schema: PipelinePause }

/** Everything that builds keep in the store. */
export const BUILD_KINDS: readonly DocumentKind<unknown>[] = [
  PIPELINE,
  RUN_CHANGES,
  STAGE,
  JOB,
  QUEUED_JOB,
  AGENT_JOB,
  ACTIVE_STAGE,
  PIPELINE_LOCK,
  PIPELINE_PAUSE,
]
