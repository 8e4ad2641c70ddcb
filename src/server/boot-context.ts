import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Resources } from '../lib/resources.ts'
import type { ServeSettings } from '../settings.ts'

export interface BootEnvironment {
  readonly clock: Clock
  readonly log: Log
  /** Where programs such as git are looked for. */
  readonly programPath: string | undefined
  /** The variables that the clients of version controls get. */
  readonly toolEnvironment: Readonly<Record<string, string>>
}

/** What every part of the service is opened with. */
export interface BootContext {
  readonly settings: ServeSettings
  readonly environment: BootEnvironment
  /** Who lets go of what was opened. */
  readonly resources: Resources
  /** The folder of the state; it is there, and held by this process. */
  readonly stateDir: string
}
