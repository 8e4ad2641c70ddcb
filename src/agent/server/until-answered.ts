import type { Backoff } from '../../lib/backoff.ts'
import { retry } from '../../lib/retry.ts'
import { isRefusal, ServerAbsent } from './server-errors.ts'

/**
 * Repeats a call while the server is absent, or rejects the token: the agent's contact then obtains
 * a new one.
 *
 * @throws any other error of the call, and the signal's reason once it is aborted.
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
