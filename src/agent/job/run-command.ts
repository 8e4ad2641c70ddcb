import { stat } from 'node:fs/promises'
import type { TaskCommand } from '../../wire/agent/task.ts'
import { resolveInside } from '../host/sandbox-path.ts'
import { type ProcessCommand, commandLineOf } from './command-line.ts'
import { fetchArtifact } from './fetch-artifact.ts'
import type { JobContext } from './job-context.ts'

/** Runs the command of a task to its end; writes the reason of a failure to the console. */
export async function runCommand(
  context: JobContext,
  command: TaskCommand,
  limits: { signal: AbortSignal; timeoutMs: number | null },
): Promise<boolean> {
  try {
    if (command.type !== 'fetchartifact') {
      return await runProcess(context, command, limits.timeoutMs)
    }
    await fetchArtifact(context, command, limits.signal)
    return true
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (error !== limits.signal.reason) context.console.note(error.message)
    return false
  }
}

async function runProcess(
  { folder, environment, processes, console }: JobContext,
  command: ProcessCommand,
  timeoutMs: number | null,
): Promise<boolean> {
  const cwd = await resolveInside(folder, command.workingDir)
  if (!(await stat(cwd)).isDirectory()) throw new Error(`${command.workingDir} is not a folder`)
  const own = command.type === 'exec' ? command.timeoutMs : null
  const line = {
    ...commandLineOf(command),
    cwd,
    environment: environment.variables,
    timeoutMs: own === null || timeoutMs === null ? (own ?? timeoutMs) : Math.min(own, timeoutMs),
  }
  const { exitCode, reason } = await processes.run(line, console.output)
  console.endCommand()
  if (exitCode === 0) return true
  console.note(`The task ended with exit code ${exitCode}${reason === null ? '' : `: ${reason}`}`)
  return false
}
