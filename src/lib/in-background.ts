import type { Log } from './log.ts'

/**
 * Runs work without waiting for it. Logs a failure: an unhandled rejection would end the process.
 */
export function inBackground(log: Log, message: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => log({ level: 'error', message, facts: { error } }))
}
