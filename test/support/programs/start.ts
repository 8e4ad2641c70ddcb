import { once } from 'node:events'
import { atEnd } from './at-end.ts'
import { type Ended, Program, type ProgramOptions } from './program.ts'

/** Starts a subcommand; the process is killed when the test has finished, and gone before its folder is. */
export function start(args: readonly string[], options: ProgramOptions = {}): Program {
  const program = new Program(args, options)
  atEnd(async () => {
    const { process } = program
    if (process.exitCode !== null || process.signalCode !== null) return
    const gone = once(process, 'exit')
    process.kill('SIGKILL')
    await gone
  })
  return program
}

/** Runs a subcommand to its end. */
export function run(args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  return start(args, options).ended()
}
