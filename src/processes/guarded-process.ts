import { randomUUID } from 'node:crypto'
import { type PipedProcess, type ProcessOptions, startProcess } from './piped-process.ts'
import { withMark } from './process-mark.ts'
import { Reaper } from './reaper.ts'

const MARK = `process-${randomUUID()}/`

/** One for all that this process starts; there from the first one on. */
let reaper: Reaper | null = null

/**
 * Starts a program that does not outlive this process, however that ends, nor does what the
 * program has started. It leads a group of its own.
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
