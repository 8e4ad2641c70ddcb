/** A server in the database: its advertised address, and the other servers that it reaches. */
export interface PlacedServer {
  readonly address: string
  /** Null when the server does not report it. */
  readonly reaches: readonly string[] | null
}

/** The time without being reached by any other server after which that counts. */
const UNREACHED_AFTER_MS = 5_000

/**
 * Tells which servers the others reach. A server that none of them reaches must not lead when
 * another one is reached: agents that call the others would wait for it.
 */
export class ServerPlacement {
  #servers: readonly PlacedServer[] = []
  /** Since when none of the others has reached a server, by the clock of this process. */
  #unreachedSince = new Map<string, number>()

  /** Takes the present reports of the live servers. */
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
