import type { Log } from './log.ts'

/**
 * Lets work go on that nobody waits for. Its failure is logged; one that nobody takes would end
 * the process.
 */
export function inBackground(log: Log, message: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => log({ level: 'error', message, facts: { error } }))
}
