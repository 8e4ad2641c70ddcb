import type { JobResult } from '../../core/builds/job.ts'
import type { StageStatus } from '../../core/builds/stage.ts'
import type { StageInstance } from './documents.ts'

/** Events of builds. They are emitted once the change is durable. */
export type BuildEvent =
  /** There are jobs that an agent could take. */
  | { readonly type: 'jobs-queued' }
  | { readonly type: 'stage-scheduled'; readonly stage: StageInstance }
  | {
      readonly type: 'stage-finished'
      readonly stage: StageInstance
      readonly status: StageStatus
    }
  /** An agent got a job that had waited for this time, in milliseconds. */
  | { readonly type: 'job-assigned'; readonly waitedMs: number }
  | { readonly type: 'job-finished'; readonly result: JobResult }
  /** The job was taken from the agent, which has to stop it. */
  | { readonly type: 'job-stopped'; readonly jobId: number; readonly agentUuid: string }
  /** No run holds the pipeline's lock any more. */
  | { readonly type: 'pipeline-unlocked'; readonly pipeline: string }
  /** Runs of the pipeline may start again. */
  | { readonly type: 'pipeline-unpaused'; readonly pipeline: string }
  /** A stage failed to start automatically. */
  | {
      readonly type: 'stage-blocked'
      readonly pipeline: string
      readonly counter: number
      readonly stage: string
      readonly reason: string
    }
