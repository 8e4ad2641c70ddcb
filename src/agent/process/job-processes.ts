import { constants } from 'node:os'
import {
  type PipedProcess,
  ProcessNotStarted,
  startProcess,
} from '../../processes/piped-process.ts'
import type { Cookie } from './cookie.ts'
import { withMark } from './cookie.ts'
import { endProcesses } from './end-processes.ts'
import type { OutputSink } from './output-pump.ts'
import { OutputPump } from './output-pump.ts'

export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** What the command reads. */
  readonly input?: string
  /** Ended after so long, with all its processes. */
  readonly timeoutMs?: number | null
}

export interface CommandEnd {
  /** As a shell has it: 127 when it could not be started, 128 and the number of a signal. */
  readonly exitCode: number
  /** Why it could not be started or was ended, for the console. */
  readonly reason: string | null
}

/** The processes of one job: started with the job's cookie and ended together, whatever they did. */
export class JobProcesses {
  readonly #cookie: Cookie
  readonly #graceMs: number
  readonly #groups = new Set<number>()
  #started = 0
  #closed = false

  constructor({ cookie, graceMs }: { cookie: Cookie; graceMs: number }) {
    this.#cookie = cookie
    this.#graceMs = graceMs
  }

  /** Runs one command to its end. Once `end` was called nothing is started any more. */
  async run(line: CommandLine, sink: OutputSink): Promise<CommandEnd> {
    if (this.#closed) return { exitCode: 143, reason: 'The job has ended' }
    this.#started += 1
    const mark = `${this.#cookie.instance}${this.#started}/`
    const child = start(line, mark)
    if (child instanceof ProcessNotStarted) return { exitCode: 127, reason: child.message }
    const group = child.pid
    if (group !== undefined) this.#groups.add(group)
    const pumps = [
      new OutputPump(child.stdout, 'stdout', sink),
      new OutputPump(child.stderr, 'stderr', sink),
    ]
    const end = await this.#within(line.timeoutMs ?? null, mark, ended(child), group)
    if (group !== undefined) this.#groups.delete(group)
    await Promise.all(pumps.map((pump) => pump.settled()))
    return end
  }

  /** Ends all that runs. Returns how many processes could not be ended. */
  end(): Promise<number> {
    this.#closed = true
    return this.#endMarked(this.#cookie.instance, this.#groups)
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
    const timer = setTimeout(() => endings.push(this.#endMarked(mark, groups)), timeoutMs)
    const result = await end
    clearTimeout(timer)
    if (endings.length === 0) return result
    await Promise.all(endings)
    return { ...result, reason: `It ran into its timeout of ${timeoutMs} ms` }
  }

  #endMarked(mark: string, groups: ReadonlySet<number>): Promise<number> {
    return endProcesses({ isMarked: (text) => text.includes(mark), groups }, this.#graceMs)
  }
}

function start(line: CommandLine, mark: string): PipedProcess | ProcessNotStarted {
  const env = withMark(line.environment, mark)
  try {
    const child = startProcess(line.command, line.args, { cwd: line.cwd, env, isGroup: true })
    child.stdin.end(line.input)
    return child
  } catch (error) {
    if (error instanceof ProcessNotStarted) return error
    throw error
  }
}

function ended(child: PipedProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ exitCode: 127, reason: error.message }))
    child.once('exit', (code, signal) => {
      if (signal === null) return resolve({ exitCode: code ?? 1, reason: null })
      const exitCode = 128 + constants.signals[signal]
      return resolve({ exitCode, reason: `It was ended by ${signal}` })
    })
  })
}
