import { z } from 'zod'

/** One of several servers that share a database, as it was last seen. */
export const SeenServer = z.object({
  name: z.string(),
  address: z.string(),
  /** The newest entry of the log that it has. */
  sequence: z.int().nonnegative(),
  /** The number of entries by which it is behind the log. */
  lag: z.int().nonnegative(),
  /** Seconds since it was last heard of. */
  silence: z.int().nonnegative(),
  /** Whether it is the leader. */
  isHolder: z.boolean(),
})
export type SeenServer = Readonly<z.infer<typeof SeenServer>>

/** The servers that share a database, as one of them knows them. */
export const SeenServers = z.object({
  /** The newest entry of the log that this one has. */
  sequence: z.int().nonnegative(),
  /** The number of entries by which this one is behind. */
  lag: z.int().nonnegative(),
  /** The address of the leader; null while there is none. */
  holder: z.string().nullable(),
  servers: z.array(SeenServer).readonly(),
})
export type SeenServers = Readonly<z.infer<typeof SeenServers>>

/** Seconds after which a server counts as silent. */
const SILENT_AFTER_SECONDS = 10

/** Servers that are silent without having stopped properly. */
export function silentServers({ servers }: SeenServers): readonly SeenServer[] {
  return servers.filter(({ silence }) => silence > SILENT_AFTER_SECONDS)
}
