import { z } from 'zod'

/** The result of an action: `refused` by a rule, `failed` by a fault of the service. */
export const AuditOutcome = z.enum(['done', 'refused', 'failed'])
export type AuditOutcome = z.infer<typeof AuditOutcome>

/** One entry of the audit log: the user, the action, the origin, and the result. */
export const AuditEntry = z.object({
  id: z.int().positive(),
  /** Milliseconds since the UNIX epoch. */
  time: z.int(),
  /** A user, or empty for a caller without a login. */
  user: z.string(),
  /** The id of the token that the user came with, if any. */
  token: z.string().exactOptional(),
  /** Such as `enable-agent`; the method and the pattern of the route if it has no name. */
  action: z.string(),
  /** The path of the request, or the commit of a revision. */
  target: z.string(),
  /** The origin of the request; empty for an action without one. */
  address: z.string(),
  outcome: AuditOutcome,
  /** The status of the answer. */
  status: z.int().exactOptional(),
  /** The code of the error in the answer. */
  reason: z.string().exactOptional(),
  /** The name that a caller with wrong credentials gave. */
  claimed: z.string().exactOptional(),
  /** The id of the request, as in the log and in the answer. */
  request: z.string().exactOptional(),
  /** The digest of the configuration that is current after it. */
  md5: z.string().exactOptional(),
  /** How often the action was repeated within a minute, if more than once. */
  times: z.int().exactOptional(),
  /** The times of the first and the last repetition. */
  first: z.int().exactOptional(),
  last: z.int().exactOptional(),
  /** Some of the targets, if they differ. */
  targets: z.array(z.string()).readonly().exactOptional(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** The facts of an action before it is recorded. */
export type Action = Omit<AuditEntry, 'id' | 'time' | keyof Repetitions>

/** How often an action was repeated, when, and on which targets. */
export type Repetitions = Pick<AuditEntry, 'times' | 'first' | 'last' | 'targets'>
