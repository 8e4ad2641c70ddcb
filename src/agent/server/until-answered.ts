import type { Backoff } from '../../lib/backoff.ts'
import { retry } from '../../lib/retry.ts'
import { isRefusal, ServerAbsent } from './server-errors.ts'

/**
 * Makes a call again and again while the server is absent, or knows another token: the
 * agent's contact gets a new one then.
 *
 * @throws what the call throws otherwise, and the signal's reason once it is aborted.
 */
export function untilAnswered<Answer>(
  call: () => Promise<Answer>,
  options: { backoff: Backoff; signal: AbortSignal },
): Promise<Answer> {
  return retry(call, { ...options, onFailure: throwUnlessAbsent })
}

function throwUnlessAbsent(error: unknown): void {
  if (!(error instanceof ServerAbsent) && !isRefusal(error, 401)) throw error
}
