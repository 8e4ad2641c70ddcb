import type { StateTransaction } from '../../state/state-store.ts'
import type { WaitingJob } from './documents.ts'
import type { BuildEvent } from './event.ts'
import type { Plans } from './plan.ts'

/** Effects that are applied once a change is durable. */
export interface Effects {
  readonly events: BuildEvent[]
  readonly queued: WaitingJob[]
  readonly unqueued: number[]
}

/** One change of the builds in the store, at one moment. */
export interface BuildChange {
  readonly tx: StateTransaction
  readonly now: number
  readonly plans: Plans
  readonly effects: Effects
}

export function noEffects(): Effects {
  return { events: [], queued: [], unqueued: [] }
}
