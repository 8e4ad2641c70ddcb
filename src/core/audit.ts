import { z } from 'zod'

/** How an action ended: `refused` by a rule, `failed` by a fault of the service. */
export const AuditOutcome = z.enum(['done', 'refused', 'failed'])
export type AuditOutcome = z.infer<typeof AuditOutcome>

/** One entry of the audit log: who did what, from where, and how it ended. */
export const AuditEntry = z.object({
  id: z.int().positive(),
  /** Milliseconds since the UNIX epoch. */
  time: z.int(),
  /** A user, or empty when nobody had logged in. */
  user: z.string(),
  /** Such as `enable-agent`; the method and the pattern of the route where it has no name. */
  action: z.string(),
  /** What it was about: the path of the request, or the commit of a revision. */
  target: z.string(),
  /** Where the request came from; empty for what was no request. */
  address: z.string(),
  outcome: AuditOutcome,
  /** The status of the answer. */
  status: z.int().exactOptional(),
  /** The code of the error that it was answered with. */
  reason: z.string().exactOptional(),
  /** The name that a caller with wrong credentials gave. */
  claimed: z.string().exactOptional(),
  /** The id of the request, as in the log and in the answer. */
  request: z.string().exactOptional(),
  /** The digest of the configuration that is current after it. */
  md5: z.string().exactOptional(),
  /** How often the same happened within a minute, when it was more than once. */
  times: z.int().exactOptional(),
  /** When it happened for the first and for the last time of these. */
  first: z.int().exactOptional(),
  last: z.int().exactOptional(),
  /** Some of the targets that it was about, when they were not all the same. */
  targets: z.array(z.string()).readonly().exactOptional(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** What is known of an action before it is noted. */
export type Action = Omit<AuditEntry, 'id' | 'time' | keyof Repetitions>

/** How often an action was repeated, when, and about what. */
export type Repetitions = Pick<AuditEntry, 'times' | 'first' | 'last' | 'targets'>
