import { onTestFinished } from 'vitest'
import { type Ended, Program, type ProgramOptions } from './program.ts'

/** Starts a subcommand; the process is killed when the test has finished. */
export function start(args: readonly string[], options: ProgramOptions = {}): Program {
  const program = new Program(args, options)
  onTestFinished(() => {
    program.process.kill('SIGKILL')
  })
  return program
}

/** Runs a subcommand to its end. */
export function run(args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  return start(args, options).ended()
}
