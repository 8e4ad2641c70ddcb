import { expect, vi } from 'vitest'
import type { History } from '../../../src/history/history.ts'

export const POLL_INTERVAL_MS = 1000

/** Others are followed soon, but not at once. */
export function eventually<Result>(check: () => Result): Promise<Result> {
  return vi.waitFor(check, { timeout: 10_000 })
}

/** The authors of the revisions, newest first. */
export function usernamesOf(history: History): string[] {
  return history.list({ offset: 0, limit: history.size() }).map(({ username }) => username)
}

export function expectUsernames(history: History, expected: readonly string[]): Promise<void> {
  return eventually(() => expect(usernamesOf(history)).toEqual(expected))
}
