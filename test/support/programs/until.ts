import { setTimeout as delay } from 'node:timers/promises'

const LOOK_INTERVAL_MS = 20
const ASK_INTERVAL_MS = { min: 20, max: 200 }
/** The part of the time so far that passes before a question is asked again. */
const PART = 0.1

/**
 * Waits for something that other processes bring about; fails when it takes too long. What is asked
 * of a server is asked less often the longer it takes, so that the server is not busy with answers.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<void> {
  const began = Date.now()
  for (;;) {
    const held = holds()
    if (await held) return
    const waited = Date.now() - began
    if (waited > withinMs)
      throw new Error(`It did not come true within ${withinMs} ms: ${String(holds)}`)
    const { min, max } = ASK_INTERVAL_MS
    await delay(
      held instanceof Promise ? Math.min(max, Math.max(min, waited * PART)) : LOOK_INTERVAL_MS,
    )
  }
}
