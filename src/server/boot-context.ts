import type { Cluster } from '../cluster/cluster.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { StatePlaces } from '../operations/service-places.ts'
import type { ServeSettings } from '../settings/settings.ts'
import type { Shutdown } from './shutdown.ts'

export interface BootEnvironment {
  readonly clock: Clock
  /** The time for which the service has run, which nobody sets. */
  readonly uptime: Clock
  readonly log: Log
  /** Where programs such as git are looked for. */
  readonly programPath: string | undefined
  /** The variables that the clients of version controls get. */
  readonly toolEnvironment: Readonly<Record<string, string>>
  /** The least work of a password, as bcrypt's power of two; the usual one when absent. */
  readonly passwordCost?: number
  /** Ends a start that waits for its turn; it waits until it has it when absent. */
  readonly stop?: AbortSignal
}

/** The context with which every part of the service is opened. */
export interface BootContext {
  readonly settings: ServeSettings
  readonly environment: BootEnvironment
  /** Owns every resource that is opened; each has this one owner. */
  readonly shutdown: Shutdown
  /** The folder of the state is there, and held by this process. */
  readonly places: StatePlaces
  /** Null where the state is in that folder, and no other server may have it. */
  readonly cluster: Cluster | null
}
