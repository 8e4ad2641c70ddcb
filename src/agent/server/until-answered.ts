import type { Backoff } from '../../lib/backoff.ts'
import { pause } from '../../lib/pause.ts'
import { isRefusal, ServerAbsent } from './server-errors.ts'

/**
 * Makes a call again and again while the server is absent, or knows another token: the
 * agent's contact gets a new one then.
 *
 * @throws what the call throws otherwise, and the signal's reason once it is aborted.
 */
export async function untilAnswered<Answer>(
  call: () => Promise<Answer>,
  { backoff, signal }: { backoff: Backoff; signal: AbortSignal },
): Promise<Answer> {
  for (;;) {
    signal.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ServerAbsent) && !isRefusal(error, 401)) throw error
    }
    await pause(backoff.next(), signal)
  }
}
