import { z } from 'zod'
import { parseJsonOrNull } from '../../lib/parse-json.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ChangeFacts } from '../change-origin.ts'
import { isSameName } from '../name-key.ts'

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
  /** The interface of the request, where it is another one. */
  via: z.literal('mcp').exactOptional(),
  /** The digest of the configuration that is current after it. */
  md5: z.string().exactOptional(),
  /** The door of a change of the configuration. */
  door: z.string().exactOptional(),
  /** The changed entities, where few enough change to be found at once. */
  entities: z.array(z.string()).readonly().exactOptional(),
  /** The number of repetitions within a minute, if more than one. */
  times: z.int().exactOptional(),
  /** The times of the first and the last repetition. */
  first: z.int().exactOptional(),
  last: z.int().exactOptional(),
  /** The targets of an action that has several, or some of those of its repetitions. */
  targets: z.array(z.string()).readonly().exactOptional(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** The facts of an action before it is recorded. */
export type Action = Omit<AuditEntry, 'id' | 'time' | 'times' | 'first' | 'last'>

/** The number of repetitions of an action, their times, and their targets. */
export type Repetitions = Pick<AuditEntry, 'times' | 'first' | 'last' | 'targets'>

/** An entry before it has its number. */
export type NewAuditEntry = Omit<AuditEntry, 'id'>

/** A filter of entries; null matches all. */
export interface AuditQuery {
  /** Only those with a smaller number; null for the newest. */
  readonly before: number | null
  readonly limit: number
  readonly user: string | null
  readonly action: string | null
  readonly outcome: string | null
  readonly address: string | null
  /** Not before this time, and not after that, in milliseconds since the UNIX epoch. */
  readonly since: number | null
  readonly until: number | null
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  /** The number before which the next page begins; null when there are no more. */
  readonly next: number | null
}

/**
 * Refusals, and actions without a login, have a share of the log for themselves, so that a flood of
 * them cannot displace the actions of users.
 */
export type AuditShare = 'actions' | 'refusals'
export const AUDIT_SHARES: Readonly<Record<AuditShare, number>> = {
  actions: 3 / 4,
  refusals: 1 / 4,
}

/** An entry as it is moved from one log to another, where it gets a number of its own. */
export const MovedEntry = z.strictObject({
  share: z.enum(['actions', 'refusals']),
  entry: AuditEntry.omit({ id: true }),
})
export type MovedEntry = z.infer<typeof MovedEntry>

export function isAskedFor(
  entry: AuditEntry,
  { user, action, outcome, address, since, until }: AuditQuery,
): boolean {
  return (
    (since === null || entry.time >= since) &&
    (until === null || entry.time <= until) &&
    (user === null || isSameName(entry.user, user)) &&
    (action === null || entry.action === action) &&
    (outcome === null || entry.outcome === outcome) &&
    (address === null || entry.address === address)
  )
}

/** The entry in a line or row of the log; an unreadable one becomes an entry that says so. */
export function parseAuditEntry(id: number, text: string): AuditEntry {
  return AuditEntry.safeParse(parseJsonOrNull(text)).data ?? { ...DAMAGED, id }
}

interface ChangeDetails {
  readonly commits: number
  readonly isRewritten?: boolean
  /** Absent for a change that did not come through this service. */
  readonly facts?: ChangeFacts | undefined
}

/** A change of the configuration from any source, by its newest revision. */
export function configurationChange(
  newest: { readonly username: string; readonly commit: string; readonly digest: string },
  { commits, isRewritten = false, facts }: ChangeDetails,
): Action {
  return {
    user: newest.username,
    action: isRewritten ? 'rewrite-history' : 'change-configuration',
    target: commits > 1 ? `${commits} commits up to ${newest.commit}` : newest.commit,
    address: '',
    outcome: 'done',
    md5: newest.digest,
    ...(facts === undefined ? {} : { door: facts.door }),
    ...(facts === undefined || facts.entities.length === 0 ? {} : { entities: facts.entities }),
  }
}

/** The numbers of the first and the last entry of a share that were dropped to make room. */
export interface DroppedEntries {
  readonly first: number
  readonly last: number
}

/** Reports to operators that a share was full, and returns the entry about it. */
export function noteFullShare(
  share: AuditShare,
  { first, last }: DroppedEntries,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): NewAuditEntry {
  const target = `${share === 'actions' ? 'entries' : share} ${first} to ${last}`
  log({ level: 'warning', message: `The audit log is full: its ${target} are removed` })
  const action = { user: '', action: 'shorten-audit-log', target, address: '' }
  return { time: clock(), ...action, outcome: 'done' }
}

/** Replaces an unreadable entry, so that its loss is visible. */
const DAMAGED = {
  time: 0,
  user: '',
  action: 'damaged-entry',
  target: '',
  address: '',
  outcome: 'failed',
} as const
