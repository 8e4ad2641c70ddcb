import { randomUUID } from 'node:crypto'
import { type PipedProcess, type ProcessOptions, startProcess } from './piped-process.ts'
import { withMark } from './process-mark.ts'
import { Reaper } from './reaper.ts'

const MARK = `process-${randomUUID()}/`

/** One reaper for all programs that this process starts; created with the first one. */
let reaper: Reaper | null = null

/**
 * Starts a program in its own process group. It and its descendants end at the latest with this
 * process, however that ends.
 *
 * @throws {ProcessNotStarted} when it has no pipes.
 */
export function startGuarded(
  program: string,
  args: readonly string[],
  options: Omit<ProcessOptions, 'isGroup'>,
): PipedProcess {
  reaper ??= new Reaper(MARK)
  const env = withMark(options.env, MARK)
  const child = startProcess(program, args, { ...options, env, isGroup: true })
  reaper.watch(child)
  return child
}
