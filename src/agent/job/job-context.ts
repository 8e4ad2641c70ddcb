import type { JobAssignment } from '../../wire/agent-work.ts'
import type { JobConsole } from '../console/job-console.ts'
import type { JobProcesses } from '../process/job-processes.ts'
import type { JobCalls } from '../server/job-calls.ts'
import type { JobEnvironment } from './job-environment.ts'

/** What the parts of one job's run share. */
export interface JobContext {
  readonly assignment: JobAssignment
  /** The job's working folder; nothing is done outside it. */
  readonly folder: string
  /** The agent's notes about that folder. */
  readonly notes: string
  readonly environment: JobEnvironment
  readonly console: JobConsole
  readonly processes: JobProcesses
  readonly calls: JobCalls
  /** Aborted with a `JobEnded` when the job is to end. */
  readonly signal: AbortSignal
}
