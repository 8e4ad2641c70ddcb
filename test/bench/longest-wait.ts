import { setTimeout as wait } from 'node:timers/promises'
import type { MeasuredServer } from './servers.ts'

/** The pause between two polls, so that polling does not load the server. */
const POLL_INTERVAL_MS = 5

/** How long `/health` is waited for at most until something is done and what follows it too, in milliseconds. */
export async function longestWaitBeside(
  server: MeasuredServer,
  work: () => Promise<unknown>,
): Promise<number> {
  const done = new AbortController()
  // Settled, so that a failure waits until the looking has ended.
  const working = Promise.allSettled([work()]).finally(() => done.abort())
  let longest = 0
  while (!done.signal.aborted) {
    const begin = performance.now()
    await server.get('/health')
    longest = Math.max(longest, performance.now() - begin)
    await wait(POLL_INTERVAL_MS)
  }
  const [outcome] = await working
  if (outcome.status === 'rejected') throw outcome.reason
  return longest
}
