import type { Log } from '../lib/log.ts'
import type { JobUser } from './process/job-user.ts'
import { CONTACT_INTERVAL } from '../wire/agent/contact.ts'

/** The timing of the agent; tests make it short. */
export interface AgentTiming {
  readonly contactMs: number
  /** The shortest and the longest pause between attempts to reach the server. */
  readonly backoff: { readonly fromMs: number; readonly toMs: number }
  /** How long console output is collected before it is sent. */
  readonly flushMs: number
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** How long a stopping agent tries to reach the server, after its processes have ended. */
  readonly shutdownMs: number
}

export const AGENT_TIMING: AgentTiming = {
  contactMs: CONTACT_INTERVAL,
  backoff: { fromMs: 500, toMs: 15_000 },
  flushMs: 500,
  graceMs: 2_500,
  shutdownMs: 5_000,
}

export interface AgentOptions {
  /** The address of the server with its application path. */
  readonly server: string
  readonly workDir: string
  readonly autoRegisterKey: string | null
  readonly resources: readonly string[]
  readonly environments: readonly string[]
  /** Replaces the machine's own name. */
  readonly hostname: string | null
  readonly version: string
  /** The environment that the processes of jobs inherit, without the agent's own settings. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The user that runs the processes of jobs; null for the agent's own user. */
  readonly jobUser: JobUser | null
  readonly log: Log
  readonly timing?: AgentTiming
}
