import type { JobAssignment } from '../../wire/agent-work.ts'
import type { JobConsole } from '../console/job-console.ts'
import type { JobProcesses } from '../process/job-processes.ts'
import type { JobUser } from '../process/job-user.ts'
import type { JobCalls } from '../server/job-calls.ts'
import type { JobEnvironment } from './job-environment.ts'
import type { PipelineFolders } from './pipeline-folders.ts'

/** What the parts of one job's run share. */
export interface JobContext {
  readonly assignment: JobAssignment
  /** The job's working folder; nothing is done outside it. */
  readonly folder: string
  readonly folders: PipelineFolders
  /** Whom its processes run as, if not the agent's own user. */
  readonly user: JobUser | null
  readonly environment: JobEnvironment
  readonly console: JobConsole
  readonly processes: JobProcesses
  readonly calls: JobCalls
  /** Aborted with a `JobEnded` when the job is to end. */
  readonly signal: AbortSignal
}
