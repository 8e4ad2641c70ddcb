/** One of several servers that share a database, as it was last seen. */
export interface SeenServer {
  readonly name: string
  readonly address: string
  /** The newest entry of the log that it has. */
  readonly sequence: number
  /** The number of entries by which it is behind the log. */
  readonly lag: number
  /** Seconds since it was last heard of. */
  readonly silence: number
  /** Whether it is the leader. */
  readonly isHolder: boolean
}

/** The servers that share a database, as one of them knows them. */
export interface SeenServers {
  /** The newest entry of the log that this one has. */
  readonly sequence: number
  /** The number of entries by which this one is behind. */
  readonly lag: number
  /** The address of the leader; null while there is none. */
  readonly holder: string | null
  readonly servers: readonly SeenServer[]
}

/** Seconds after which a server counts as silent. */
const SILENT_AFTER_SECONDS = 10

/** Servers that are silent without having stopped properly. */
export function silentServers({ servers }: SeenServers): readonly SeenServer[] {
  return servers.filter(({ silence }) => silence > SILENT_AFTER_SECONDS)
}
