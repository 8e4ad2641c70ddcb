import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../../core/principal.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { Query } from '../kit/links.ts'
import type { FlashMessage } from '../kit/notice.tsx'

/** The results of actions that the next page can show. */
const MESSAGES = {
  saved: (of) => `Saved as ${of}.`,
  created: (of) => `Created pipeline ${of}.`,
  'proposal-updated': (of) => `Proposal ${of} has a new version.`,
  proposed: (of) => `Proposed as ${of}. It is saved when it is merged.`,
  approved: (of) => `Approved proposal ${of}.`,
  rejected: (of) => `Rejected proposal ${of}.`,
  'review-taken-back': (of) => `Withdrew your review of proposal ${of}.`,
  commented: (of) => `Commented on proposal ${of}.`,
  merged: (of) => `Merged proposal ${of}.`,
  closed: (of) => `Closed proposal ${of}.`,
  'secrets-acknowledged': (of) => `Acknowledged the plain-text secrets of ${of}.`,
  'rules-saved': () => 'Saved the rules.',
  'override-acknowledged': (of) => `Acknowledged the override of ${of}.`,
  tagged: (of) => `Added tag ${of}.`,
  untagged: (of) => `Removed tag ${of}.`,
  'material-read': () => 'The material can be read again.',
  'material-unread': () => 'The material still cannot be read.',
  'room-freed': (of) => `Removed ${of} of old consoles and artifacts.`,
  'no-room-freed': () => 'Nothing was removed: the newest run of each stage keeps its files.',
  'set-aside': (of) =>
    `The file on disk is kept as ${of}. The current configuration is in its place.`,
  'webhook-sent': (of) => `Webhook ${of} accepted the delivery.`,
  'webhook-not-taken': (of) => `The webhook did not accept the delivery. ${of}.`,
  'maintenance-begun': () => 'Maintenance mode is on.',
  'maintenance-ended': () => 'Maintenance mode is off.',
  revoked: (of) => `Revoked token ${of}.`,
  'user-disabled': (of) => `Disabled user ${of}.`,
  'user-enabled': (of) => `Enabled user ${of}.`,
  'user-removed': (of) => `Removed user ${of}.`,
  'password-changed': () => 'Password changed.',
  'logged-out': (where) => `You are logged out${where}.`,
  'mail-subscribed': (of) => `Notifications are sent to ${of}.`,
  'mail-unsubscribed': () => 'Email notifications are off.',
  'invitation-revoked': (of) => `Revoked invitation ${of}.`,
  scheduled: (of) => `Run ${of} started.`,
  unlocked: (of) => `Unlocked pipeline ${of}.`,
  'not-locked': (of) => `Pipeline ${of} was not locked. Nothing changed.`,
  paused: (of) => `Paused pipeline ${of}.`,
  unpaused: (of) => `Unpaused pipeline ${of}.`,
  'not-paused': (of) => `Pipeline ${of} was not paused. Nothing changed.`,
  'pipelines-scheduled': (of) => `Triggered ${of}.`,
  'pipelines-paused': (of) => `Paused ${of}.`,
  'pipelines-unpaused': (of) => `Unpaused ${of}.`,
  'pipelines-unlocked': (of) => `Unlocked ${of}.`,
  cancelled: (of) => `Run ${of} cancelled.`,
  'not-active': (of) => `Run ${of} was not active. Nothing changed.`,
} as const satisfies Record<string, (of: string) => string>
export type FlashKind = keyof typeof MESSAGES

const WITHOUT_EFFECT: readonly FlashKind[] = [
  'not-locked',
  'not-paused',
  'not-active',
  'webhook-not-taken',
  'material-unread',
  'no-room-freed',
]

/** A message expires after this time, in milliseconds; a browser follows a redirect sooner. */
const RETAINED_MS = 60_000
const MAX_MESSAGES = 1_000

/** Says where an invalid live file is kept that a change replaced, if there was one. */
export function setAsideText(setAside: string | null): string[] {
  return setAside === null ? [] : [`The file on disk was not valid, and is kept as ${setAside}.`]
}

interface Kept {
  readonly username: string
  readonly flash: FlashMessage
}

/**
 * Messages for the page after an action (POST, redirect, GET). The address of that page only
 * contains an unguessable number, which yields one message, to one user, once.
 */
export class FlashMessages {
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_MESSAGES, ttl: RETAINED_MS })

  /**
   * The query that makes the next page show the message. A change that replaced an invalid live file
   * names where that is kept.
   */
  query(
    { username }: Principal,
    kind: FlashKind,
    of: string,
    { setAside }: { readonly setAside: string | null } = { setAside: null },
  ): Query {
    const id = randomBytes(18).toString('base64url')
    const text = [MESSAGES[kind](of), ...setAsideText(setAside)].join(' ')
    const flash = { isDone: !WITHOUT_EFFECT.includes(kind), text }
    this.#kept.set(id, { username, flash })
    return { flash: id }
  }

  /** The message for the requested page, or null. */
  take(c: Context<RouteEnv>): FlashMessage | null {
    const id = c.req.query('flash') ?? ''
    const kept = this.#kept.get(id)
    if (kept?.username !== c.env.principal.username || c.req.method !== 'GET') return null
    this.#kept.delete(id)
    return kept.flash
  }
}
