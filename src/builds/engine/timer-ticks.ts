import { nameKey } from '../../core/name-key.ts'
import type { StateReader } from '../../state/documents.ts'
import type { BuildChange } from './change.ts'
import { TIMER_TICK, type TimerTick } from './documents.ts'
import type { Plans } from './plan.ts'

/** The last ticks of timers that were done, by the keys of their pipelines. */
export type TimerTicks = ReadonlyMap<string, TimerTick>

export async function listTicks(reader: StateReader): Promise<TimerTicks> {
  return new Map((await reader.list(TIMER_TICK)).map(({ key, value }) => [key, value]))
}

/** Records ticks as done, so that no other process does them again. */
export async function recordTicks({ tx }: BuildChange, ticks: TimerTicks): Promise<void> {
  for (const [pipeline, tick] of ticks) await tx.put(TIMER_TICK, nameKey(pipeline), tick)
}

/** The keys of ticks of pipelines that are no longer configured. */
export async function removedTicks(reader: StateReader, plans: Plans): Promise<readonly string[]> {
  const keys = (await reader.list(TIMER_TICK)).map(({ key }) => key)
  return keys.filter((key) => plans.pipelinePlan(key) === null)
}

export async function forgetTicks({ tx, plans }: BuildChange): Promise<void> {
  for (const key of await removedTicks(tx, plans)) await tx.remove(TIMER_TICK, key)
}
