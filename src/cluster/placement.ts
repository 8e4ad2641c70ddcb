/** A server as the database has it: where it says that it is reached, and which others it reaches. */
export interface PlacedServer {
  readonly address: string
  /** Null for a server that does not say so. */
  readonly reaches: readonly string[] | null
}

/** Milliseconds for which a server may be reached by none of the others before that counts. */
const UNREACHED_AFTER_MS = 5_000

/**
 * Which servers the others reach. A server that none of them reaches is no leader where another one
 * would be reached: agents that call the others would wait for it.
 */
export class ServerPlacement {
  #servers: readonly PlacedServer[] = []
  /** Since when none of the others has reached a server, by the clock of this process. */
  #unreachedSince = new Map<string, number>()

  /** Notes what the servers that are alive say now. */
  note(servers: readonly PlacedServer[]): void {
    const now = performance.now()
    const before = this.#unreachedSince
    this.#servers = servers
    this.#unreachedSince = new Map(
      servers
        .filter(({ address }) => this.#isUnreached(address))
        .map(({ address }) => [address, before.get(address) ?? now]),
    )
  }

  /** The servers that none of the others has reached for some time. */
  unreached(): readonly string[] {
    const since = performance.now() - UNREACHED_AFTER_MS
    return [...this.#unreachedSince].filter(([, at]) => at <= since).map(([address]) => address)
  }

  /** Whether another server is a better leader now. */
  isBehindAnother(address: string): boolean {
    return this.#isUnreached(address) && this.#servers.some((each) => this.#isReached(each))
  }

  #isUnreached(address: string): boolean {
    const others = this.#servers.filter((each) => each.address !== address && each.reaches !== null)
    return others.length > 0 && !others.some(({ reaches }) => reaches?.includes(address))
  }

  #isReached({ address }: PlacedServer): boolean {
    return this.#servers.some((each) => each.address !== address && each.reaches?.includes(address))
  }
}
