import type { LeaderContext } from '../api/definition/api-context.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { LeaderHealth } from '../health/health.ts'

/** The context that only the leader has open. */
export interface OpenedLeader {
  readonly context: LeaderContext
  readonly health: LeaderHealth
}

/** Whether this server leads: always where there is one server. */
export class Leadership {
  readonly #cluster: Cluster | null
  #leader: OpenedLeader | null = null

  constructor(cluster: Cluster | null) {
    this.#cluster = cluster
  }

  /**
   * Null while another server leads. One that was stopped, or is cut off from the database, may have lost
   * the leadership to another one.
   */
  current(): OpenedLeader | null {
    return this.#cluster === null || this.#cluster.isSurelyLeading ? this.#leader : null
  }

  take(leader: OpenedLeader): void {
    this.#leader = leader
  }
}
