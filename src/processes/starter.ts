import { memoryUsage } from 'node:process'
import { builtFile } from '../lib/built-file.ts'
import { startGuarded } from './guarded-process.ts'
import { detach, type PipedProcess, ProcessNotStarted } from './piped-process.ts'
import { notRun, type ProgramEnd, type ProgramRun, runProgram, STOPPED } from './run-program.ts'

/** A program to run; null to stop the one that runs by that number. */
export interface StarterRequest {
  readonly id: number
  readonly run: ProgramRun | null
}

export interface StarterAnswer {
  readonly id: number
  readonly end: ProgramEnd
}

/** A process of this size waits 10 ms until a program is started, one of 500 MB waits 30. */
const LARGE_BYTES = 256 * 2 ** 20

/** One for all programs of this process; null while it is small. */
let starter: Starter | null = null

/** Runs a program as `runProgram` does; a large process has a small one do it. */
export function runToEnd(run: ProgramRun, signal: AbortSignal): Promise<ProgramEnd> {
  if (memoryUsage.rss() > LARGE_BYTES) starter ??= new Starter()
  return starter === null ? runProgram(run, signal) : starter.run(run, signal)
}

/**
 * A small process that runs programs for a large one. For each program that a process starts, the system
 * copies the tables of its memory, while its main thread waits. It is started with the first program,
 * again when it has ended, and ends with this process.
 */
class Starter {
  readonly #waiting = new Map<number, (end: ProgramEnd) => void>()
  #child: PipedProcess | null = null
  #last = 0

  /** Runs a program as `runProgram` does. */
  async run(run: ProgramRun, signal: AbortSignal): Promise<ProgramEnd> {
    if (signal.aborted) return notRun(STOPPED)
    const id = (this.#last += 1)
    const stop = () => this.#send({ id, run: null })
    const end = new Promise<ProgramEnd>((resolve) => this.#waiting.set(id, resolve))
    this.#send({ id, run })
    signal.addEventListener('abort', stop)
    try {
      return await end
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  #send(request: StarterRequest): void {
    try {
      const child = (this.#child ??= this.#start())
      child.channel?.ref()
      child.send(request, (error) => {
        if (error !== null) this.#forget(child)
      })
    } catch (error) {
      if (!(error instanceof ProcessNotStarted)) throw error
      this.#answerAll(error.message)
    }
  }

  #start(): PipedProcess {
    const args = [builtFile('processes/starter-process.js')]
    const child = startGuarded(process.execPath, args, { env: {}, cwd: '/', channel: 'messages' })
    detach(child)
    child.on('message', ({ id, end }: StarterAnswer) => this.#answer(id, end))
    for (const event of ['error', 'exit'] as const) child.once(event, () => this.#forget(child))
    return child
  }

  #forget(child: PipedProcess): void {
    if (this.#child !== child) return
    this.#child = null
    this.#answerAll('the process that runs it has ended')
  }

  #answerAll(reason: string): void {
    for (const id of this.#waiting.keys()) this.#answer(id, notRun(reason))
  }

  /** The channel keeps this process alive as long as somebody waits for a program. */
  #answer(id: number, end: ProgramEnd): void {
    this.#waiting.get(id)?.(end)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#child?.channel?.unref()
  }
}
