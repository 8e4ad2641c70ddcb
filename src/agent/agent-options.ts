import type { Log } from '../lib/log.ts'
import type { JobUser } from './process/job-user.ts'
import { CONTACT_INTERVAL } from '../wire/agent-contact.ts'

/** How long things take; tests make them short. */
export interface AgentTiming {
  readonly contactMs: number
  /** The shortest and the longest pause while the server is absent. */
  readonly backoff: { readonly fromMs: number; readonly toMs: number }
  /** How long a little console output waits for more. */
  readonly flushMs: number
  /** How long processes have between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** How long a stopping agent tries to tell the server, once its processes are ended. */
  readonly farewellMs: number
}

export const AGENT_TIMING: AgentTiming = {
  contactMs: CONTACT_INTERVAL,
  backoff: { fromMs: 500, toMs: 15_000 },
  flushMs: 500,
  graceMs: 2_500,
  farewellMs: 5_000,
}

export interface AgentOptions {
  /** Address of the server with its application path. */
  readonly server: string
  readonly workDir: string
  readonly autoRegisterKey: string | null
  readonly resources: readonly string[]
  readonly environments: readonly string[]
  /** Instead of the machine's own name. */
  readonly hostname: string | null
  readonly version: string
  /** What the processes of jobs inherit; the agent's own settings are left out. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whom the processes of jobs run as; null for the agent's own user. */
  readonly jobUser: JobUser | null
  readonly log: Log
  readonly timing?: AgentTiming
}
