import { LRUCache } from 'lru-cache'
import type { Principal } from '../../core/principal.ts'

/** A removal is forgotten after this time, in milliseconds. */
const RETAINED_MS = 3_600_000
const MAX_AGENTS = 1_000

interface RemovedAgent {
  readonly uuid: string
  readonly name: string
}

interface Outcome extends RemovedAgent {
  readonly action: string
  readonly isDone: boolean
}

/**
 * The agents that each user removed, so that their pages can show whether one registers again. Such
 * a page names agents in its address, which is trusted only for agents that this user removed.
 */
export class RemovedAgents {
  readonly #removed = new LRUCache<string, true>({ max: MAX_AGENTS, ttl: RETAINED_MS })

  note({ username }: Principal, outcomes: readonly Outcome[]): void {
    for (const { action, isDone, ...agent } of outcomes) {
      if (action !== 'delete' || !isDone) continue
      this.#removed.set(keyOf(username, agent), true)
    }
  }

  has({ username }: Principal, agent: RemovedAgent): boolean {
    return this.#removed.has(keyOf(username, agent))
  }
}

function keyOf(username: string, { uuid, name }: RemovedAgent): string {
  return JSON.stringify([username, uuid, name])
}
