import { setTimeout as delay } from 'node:timers/promises'

/** Waits; returns at once, without an error, when the signal is or gets aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
