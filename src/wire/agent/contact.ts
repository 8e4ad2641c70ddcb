import { z } from 'zod'
import { ConfigStatus, RuntimeStatus } from '../../core/builds/agent.ts'
import { AgentDescription, ContactInterval } from './registration.ts'

/** The current activity of the agent. `Cancelled`: it is ending a cancelled job. */
export const ReportedStatus = RuntimeStatus.extract(['Idle', 'Building', 'Cancelled'])
export type ReportedStatus = z.infer<typeof ReportedStatus>

/** From the answer of one contact to the next one, in milliseconds, where the server asks for no shorter one. */
export const CONTACT_INTERVAL_MS = 5_000
/** One contact may be late or lost. */
const CONTACTS_BEFORE_LOSS = 3

/** The interval for agents that count as lost after this silence; both in milliseconds. */
export function contactIntervalFor(agentTimeout: number): number {
  return Math.min(CONTACT_INTERVAL_MS, Math.ceil(agentTimeout / CONTACTS_BEFORE_LOSS))
}

/** `POST …/[uuid]/contact`. */
export const ContactRequest = AgentDescription.extend({
  runtimeStatus: ReportedStatus,
  /** The job that the agent holds, or null. */
  jobId: z.int().positive().nullable(),
  /** The last contact of a process that ends: its job is given to another agent. */
  stopping: z.boolean(),
})
export type ContactRequest = z.infer<typeof ContactRequest>

export const Instruction = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('cancel_job'), jobId: z.int().positive() }),
  /** The server knows no agent of this uuid (any more). */
  z.object({ kind: z.literal('register') }),
])
export type Instruction = z.infer<typeof Instruction>

export const ContactReply = z.object({
  instruction: Instruction,
  /** Only an enabled agent requests work. Null together with `register`. */
  configStatus: ConfigStatus.nullable(),
  contactIntervalMs: ContactInterval.exactOptional(),
})
export type ContactReply = z.infer<typeof ContactReply>
