import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../../core/principal.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { Query } from './links.ts'
import type { FlashMessage } from './notice.tsx'

/** The results of actions that the next page can show. */
const MESSAGES = {
  saved: (of) => `Saved as ${of}.`,
  created: (of) => `The pipeline ${of} is created.`,
  'set-aside': (of) =>
    `The file on disk is kept as ${of}. The current configuration is in its place.`,
  scheduled: (of) => `The run ${of} is scheduled.`,
  unlocked: (of) => `The pipeline ${of} is unlocked.`,
  'not-locked': (of) => `The pipeline ${of} was not locked, so nothing was done.`,
  paused: (of) => `The pipeline ${of} is paused.`,
  unpaused: (of) => `The pipeline ${of} is no longer paused.`,
  'not-paused': (of) => `The pipeline ${of} was not paused, so nothing was done.`,
  cancelled: (of) => `The run ${of} is cancelled.`,
  'not-active': (of) => `The run ${of} was not active, so there was nothing to cancel.`,
} as const satisfies Record<string, (of: string) => string>
type FlashKind = keyof typeof MESSAGES

const WITHOUT_EFFECT: readonly FlashKind[] = ['not-locked', 'not-paused', 'not-active']

/** A message expires after this time, in milliseconds; a browser follows a redirect sooner. */
const KEPT_FOR = 60_000
const MOST = 1_000

interface Kept {
  readonly username: string
  readonly flash: FlashMessage
}

/**
 * Messages for the page after an action (POST, redirect, GET). The address of that page only
 * contains an unguessable number, which yields one message, to one user, once.
 */
export class FlashMessages {
  readonly #kept = new LRUCache<string, Kept>({ max: MOST, ttl: KEPT_FOR })

  /** The query that makes the next page show the message. */
  query({ username }: Principal, kind: FlashKind, of: string): Query {
    const id = randomBytes(18).toString('base64url')
    const flash = { isDone: !WITHOUT_EFFECT.includes(kind), text: MESSAGES[kind](of) }
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
