import { quotedWords } from '../../core/service/command-words.ts'
import { plural } from '../../lib/plural.ts'
import type { AssignedTask, TaskCommand, FetchCommand } from '../../wire/agent/task.ts'
import type { JobContext } from './job-context.ts'
import { stat, mkdir, rm } from 'node:fs/promises'
import { orNullIfMissing, resolveInside } from '../host/sandbox-path.ts'
import { join, basename, dirname } from 'node:path'
import { reasonForConsole } from '../host/console-reason.ts'
import { runAsUser } from './run-as-user.ts'
import { withoutTrailingSlashes } from '../../lib/texts.ts'

const WRITE = 'mkdir -p -- "${1%/*}" && cat >"$1"'

/**
 * Fetches an artifact of an earlier job: a file into the destination folder, a folder with its
 * name, and everything of the job, which `.` names, without one.
 *
 * @throws when there is no such run or artifact.
 */
async function fetchArtifact(
  context: JobContext,
  { from, src, srcKind, dest }: FetchCommand,
  signal: AbortSignal,
): Promise<void> {
  const { assignment, folder, calls, console } = context
  if (from === null) throw new Error(`There is no run of which ${src} could be fetched`)
  const path = src === '.' ? '' : withoutTrailingSlashes(src)
  const listed = await calls.listArtifacts(from, path, signal)
  const files = srcKind === 'file' ? listed.filter((file) => file.path === path) : listed
  if (files.length === 0) throw new Error(`${assignment.pipelineName}: there is no artifact ${src}`)
  const below = dirname(path) === '.' ? '' : `${dirname(path)}/`
  for (const file of files) {
    const name = srcKind === 'file' ? basename(path) : file.path.slice(below.length)
    const target = await resolveInside(folder, join(dest ?? '.', name))
    await place(context, target, (to) => calls.download(from, { ...file, file: to }, signal))
  }
  console.note(`Fetched ${files.length} ${plural(files.length, 'file')} of ${src}`)
}

/**
 * Writes a file. A job user writes it itself, from a copy of the agent: its processes may replace
 * the target.
 */
async function place(
  context: JobContext,
  target: string,
  write: (file: string) => Promise<void>,
): Promise<void> {
  const { folders, user } = context
  if (user === null) {
    await mkdir(dirname(target), { recursive: true })
    return write(target)
  }
  const file = join(folders.notes, 'fetched')
  await write(file)
  await runAsUser(context, [WRITE, target], { file })
  return rm(file)
}

/** The time limit of on-cancel tasks, which delay the end of a cancelled job. */
const ON_CANCEL_MS = 30_000

/** A task that runs a process. */
type ProcessCommand = Exclude<TaskCommand, { type: 'fetchartifact' }>

/** Runs the tasks of a job in order, each if its condition matches the job's status so far. */
export class TaskRun {
  readonly #context: JobContext
  #current: AssignedTask | null = null

  constructor(context: JobContext) {
    this.#context = context
  }

  async run(): Promise<'Passed' | 'Failed'> {
    const { assignment, console, signal } = this.#context
    let status: 'passed' | 'failed' = 'passed'
    for (const task of assignment.tasks) {
      const suits = task.runIf.length === 0 ? ['passed'] : task.runIf
      if (!suits.some((when) => when === 'any' || when === status)) continue
      console.note(`Current job status: ${status}`)
      console.note(`Start to execute task: ${describeTask(task.run)}`)
      this.#current = task
      const passed = await runCommand(this.#context, task.run, { signal, timeoutMs: null })
      signal.throwIfAborted()
      this.#current = null
      if (!passed) status = 'failed'
    }
    console.note(`Current job status: ${status}`)
    return status === 'passed' ? 'Passed' : 'Failed'
  }

  /** Runs the on-cancel task of the running task, if it has one. */
  async cancel(): Promise<void> {
    const command = this.#current?.onCancel ?? null
    if (command === null) return
    const { console } = this.#context
    console.note(`On-cancel task: ${describeTask(command)}`)
    const signal = AbortSignal.timeout(ON_CANCEL_MS)
    const passed = await runCommand(this.#context, command, { signal, timeoutMs: ON_CANCEL_MS })
    console.note(passed ? 'On-cancel task completed' : 'On-cancel task failed')
  }
}

/** Runs the command of a task to its end; writes the reason of a failure to the console. */
async function runCommand(
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
    if (error !== limits.signal.reason) {
      context.console.note(reasonForConsole(context.folder, error))
    }
    return false
  }
}

async function runProcess(
  { folder, environment, processes, console }: JobContext,
  command: ProcessCommand,
  timeoutMs: number | null,
): Promise<boolean> {
  const cwd = await resolveInside(folder, command.workingDir)
  const found = await orNullIfMissing(stat(cwd))
  if (!found?.isDirectory()) throw new Error(`There is no folder ${command.workingDir ?? '.'}`)
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

/**
 * The command and the arguments of a task. Several targets in one text become several arguments.
 */
function commandLineOf(task: ProcessCommand): { command: string; args: string[] } {
  if (task.type === 'exec') return { command: task.command, args: [...task.args] }
  const targets = wordsOf(task.target ?? '')
  const file = task.buildFile === null || task.buildFile === '' ? null : task.buildFile
  if (task.type !== 'nant') {
    return { command: task.type, args: [...(file === null ? [] : ['-f', file]), ...targets] }
  }
  const command = task.nantPath === null ? 'nant' : join(task.nantPath, 'nant')
  return { command, args: [...(file === null ? [] : [`-buildfile:${file}`]), ...targets] }
}

/** @throws for a quote that is not closed. */
function wordsOf(target: string): readonly string[] {
  const split = quotedWords(target)
  if (split.ok) return split.words
  throw new Error(`The target ${target} ${split.message}`)
}

/** Describes a task for the console. */
function describeTask(task: TaskCommand): string {
  if (task.type === 'fetchartifact') return `fetch the artifact ${task.src}`
  const { command, args } = commandLineOf(task)
  return [command, ...args].map(quote).join(' ')
}

function quote(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
