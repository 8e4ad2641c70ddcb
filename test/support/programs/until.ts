import { setTimeout as delay } from 'node:timers/promises'

/** Waits for something that other processes bring about; fails when it takes too long. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<void> {
  const end = Date.now() + withinMs
  while (!(await holds())) {
    if (Date.now() > end)
      throw new Error(`It did not come true within ${withinMs} ms: ${String(holds)}`)
    await delay(20)
  }
}
