/** A server of several that share a database, as it was last seen. */
export interface SeenServer {
  readonly name: string
  readonly address: string
  /** The newest entry of the log that it has. */
  readonly sequence: number
  /** How many entries it is behind the log. */
  readonly lag: number
  /** Seconds since it was last heard of. */
  readonly silence: number
  /** Whether it has the duties. */
  readonly isHolder: boolean
}

/** The servers that share a database, as one of them knows them. */
export interface SeenServers {
  /** The newest entry of the log that this one has. */
  readonly sequence: number
  /** How many entries this one is behind. */
  readonly lag: number
  /** The address of the one with the duties; null while there is none. */
  readonly holder: string | null
  readonly servers: readonly SeenServer[]
}

/** Seconds after which a server counts as silent. */
const SILENT_AFTER_SECONDS = 10

/** The servers that were not heard of for some time, and did not stop as they should. */
export function silentServers({ servers }: SeenServers): readonly SeenServer[] {
  return servers.filter(({ silence }) => silence > SILENT_AFTER_SECONDS)
}
