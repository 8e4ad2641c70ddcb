import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../../core/principal.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { Query } from './links.ts'
import type { FlashMessage } from './notice.tsx'

/** What an action has come to. */
const SAID = {
  scheduled: (of) => `The run ${of} is scheduled.`,
  unlocked: (of) => `The pipeline ${of} is unlocked.`,
  'not-locked': (of) => `The pipeline ${of} was not locked, so nothing was done.`,
  paused: (of) => `The pipeline ${of} is paused.`,
  unpaused: (of) => `The pipeline ${of} is no longer paused.`,
  'not-paused': (of) => `The pipeline ${of} was not paused, so nothing was done.`,
  cancelled: (of) => `The run ${of} is cancelled.`,
  'not-active': (of) => `The run ${of} was not active, so there was nothing to cancel.`,
} as const satisfies Record<string, (of: string) => string>
type Said = keyof typeof SAID

const UNDONE: readonly Said[] = ['not-locked', 'not-paused', 'not-active']

/** Within this time a browser follows a redirect, in milliseconds. */
const KEPT_FOR = 60_000
const MOST = 1_000

interface Kept {
  readonly username: string
  readonly told: FlashMessage
}

/**
 * What the page after an action says about it. The address of that page has only a number nobody
 * can guess: it stands for one text, for one user, once.
 */
export class FlashMessages {
  readonly #kept = new LRUCache<string, Kept>({ max: MOST, ttl: KEPT_FOR })

  /** The query of the page that says it. */
  query({ username }: Principal, said: Said, of: string): Query {
    const id = randomBytes(18).toString('base64url')
    const told = { isDone: !UNDONE.includes(said), text: SAID[said](of) }
    this.#kept.set(id, { username, told })
    return { said: id }
  }

  /** What the page that is asked for has to say, or null. */
  take(c: Context<RouteEnv>): FlashMessage | null {
    const id = c.req.query('said') ?? ''
    const kept = this.#kept.get(id)
    if (kept?.username !== c.env.principal.username || c.req.method !== 'GET') return null
    this.#kept.delete(id)
    return kept.told
  }
}
