import type { JobAssignment } from '../../wire/agent/work.ts'
import type { JobConsole } from '../console/job-console.ts'
import type { JobProcesses } from '../process/job-processes.ts'
import type { JobUser } from '../process/job-user.ts'
import type { JobCalls } from '../server/job-calls.ts'
import type { JobEnvironment } from './job-environment.ts'
import type { PipelineFolders } from './pipeline-folders.ts'

/** The state that the parts of one job's run share. */
export interface JobContext {
  readonly assignment: JobAssignment
  /** The agent: no other has this name, on whatever machine. */
  readonly agent: string
  /** The job's working folder; the job uses no files outside it. */
  readonly folder: string
  readonly folders: PipelineFolders
  /** The user of its processes, if not the agent's own. */
  readonly user: JobUser | null
  readonly environment: JobEnvironment
  readonly console: JobConsole
  readonly processes: JobProcesses
  readonly calls: JobCalls
  /** Aborted with a `JobEnded` to end the job. */
  readonly signal: AbortSignal
}

/** Why a job ends before its tasks do. */
export type EndCause =
  /** A user cancelled it. */
  | 'cancelled'
  /** A job without output for too long. */
  | 'silent'
  /** The server no longer assigns it to this agent. */
  | 'gone'
  /** The agent's process ends. */
  | 'stopping'
  /** The server refuses more of its console. */
  | 'refused'

/** The reason that a job's signal is aborted with. */
export class JobEnded extends Error {
  override readonly name = 'JobEnded'
  readonly why: EndCause

  constructor(why: EndCause, message: string, options?: ErrorOptions) {
    super(message, options)
    this.why = why
  }
}
