import { createReadStream } from 'node:fs'
import { constants } from 'node:os'
import {
  type PipedProcess,
  ProcessNotStarted,
  startProcess,
} from '../../processes/piped-process.ts'
import { type ProcessMark, withMark } from '../../processes/process-mark.ts'
import type { ControlGroup } from './control-group.ts'
import { endProcesses } from './end-processes.ts'
import type { JobUser } from './job-user.ts'
import { type OutputSink, OutputPump } from './output-pump.ts'

export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** Its standard input: a text, or the content of a file of the agent. */
  readonly input?: string | { readonly file: string }
  /** The time limit, after which it is killed with all its processes. */
  readonly timeoutMs?: number | null
}

export interface CommandEnd {
  /** As in a shell: 127 when it could not be started, 128 plus the number of a signal. */
  readonly exitCode: number
  /** Why it could not be started or was killed, for the console. */
  readonly reason: string | null
}

export interface JobProcessesOptions {
  readonly mark: ProcessMark
  readonly graceMs: number
  /** The user that runs them; null for the agent's own user. */
  readonly user?: JobUser | null
  /** The job's own group; null where the system lets the agent make none. */
  readonly controlGroup?: ControlGroup | null
}

/**
 * The processes of one job: started with the job's mark and in its control group, and ended
 * together in every case.
 */
export class JobProcesses {
  readonly #mark: ProcessMark
  readonly #graceMs: number
  readonly #user: JobUser | null
  readonly #controlGroup: ControlGroup | null
  readonly #groups = new Set<number>()
  #started = 0
  #closed = false

  constructor({ mark, graceMs, user = null, controlGroup = null }: JobProcessesOptions) {
    this.#user = user
    this.#controlGroup = controlGroup
    this.#mark = mark
    this.#graceMs = graceMs
  }

  /** Runs one command to its end. Nothing is started after a call of `end`. */
  async run(line: CommandLine, sink: OutputSink): Promise<CommandEnd> {
    if (this.#closed) return { exitCode: 143, reason: 'the job has ended' }
    this.#started += 1
    const mark = `${this.#mark.instance}${this.#started}/`
    const startHere = (): PipedProcess | ProcessNotStarted => start(line, mark, this.#user)
    const child = this.#controlGroup?.start(startHere) ?? startHere()
    if (child instanceof ProcessNotStarted) return notStarted(line, child)
    const group = child.pid
    if (group !== undefined) this.#groups.add(group)
    const pumps = [
      new OutputPump(child.stdout, 'stdout', sink),
      new OutputPump(child.stderr, 'stderr', sink),
    ]
    const end = await this.#within(line.timeoutMs ?? null, mark, ended(line, child), group)
    if (group !== undefined) this.#groups.delete(group)
    await Promise.all(pumps.map((pump) => pump.settled()))
    return end
  }

  /** Ends all running processes. Returns the number that could not be ended. */
  async end(): Promise<number> {
    this.#closed = true
    const controlGroups = this.#controlGroup === null ? [] : [this.#controlGroup]
    const isMarked = (text: string): boolean => text.includes(this.#mark.instance)
    const belonging = { isMarked, groups: this.#groups, user: this.#user, controlGroups }
    const left = await endProcesses(belonging, this.#graceMs)
    this.#controlGroup?.remove()
    return left
  }

  async #within(
    timeoutMs: number | null,
    mark: string,
    end: Promise<CommandEnd>,
    group: number | undefined,
  ): Promise<CommandEnd> {
    if (timeoutMs === null) return end
    const endings: Promise<number>[] = []
    const groups = new Set(group === undefined ? [] : [group])
    const isMarked = (text: string): boolean => text.includes(mark)
    const endAll = () => endProcesses({ isMarked, groups }, this.#graceMs)
    const timer = setTimeout(() => endings.push(endAll()), timeoutMs)
    const result = await end
    clearTimeout(timer)
    if (endings.length === 0) return result
    await Promise.all(endings)
    return { ...result, reason: `it exceeded its timeout of ${timeoutMs / 1_000} s` }
  }
}

/** A job user enters the folder by its own rights: the path may have been replaced. */
const AS_USER = 'cd -- "$1" && shift && exec "$@"'

function start(
  line: CommandLine,
  mark: string,
  user: JobUser | null,
): PipedProcess | ProcessNotStarted {
  const { command, args, cwd, input = '' } = line
  const options = { env: withMark(line.environment, mark), isGroup: true }
  const asUser = ['-c', AS_USER, 'sh', cwd, command, ...args]
  try {
    const child =
      user === null
        ? startProcess(command, args, { ...options, cwd })
        : startProcess('/bin/sh', asUser, { ...options, cwd: '/', user })
    if (typeof input === 'string') child.stdin.end(input)
    else give(child, input.file)
    return child
  } catch (error) {
    if (error instanceof ProcessNotStarted) return error
    throw error
  }
}

/** Writes a file to the input of a program. One that cannot be read ends the program, before it takes a part for all. */
function give(child: PipedProcess, file: string): void {
  const content = createReadStream(file)
  content.once('error', () => child.kill())
  child.stdin.once('close', () => content.destroy())
  content.pipe(child.stdin)
}

const NOT_STARTED: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such program, or not the interpreter that its first line names'],
  ['EACCES', 'it may not be executed'],
  ['E2BIG', 'its arguments and variables are too long'],
])

function notStarted({ command }: CommandLine, error: Error): CommandEnd {
  const code = 'code' in error ? String(error.code) : ''
  const why = NOT_STARTED.get(code) ?? (code || error.message)
  return { exitCode: 127, reason: `${command} cannot be started: ${why}` }
}

function ended(line: CommandLine, child: PipedProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(notStarted(line, error)))
    child.once('exit', (code, signal) => {
      if (signal === null) return resolve({ exitCode: code ?? 1, reason: null })
      const exitCode = 128 + constants.signals[signal]
      return resolve({ exitCode, reason: `it was ended by ${signal}` })
    })
  })
}
