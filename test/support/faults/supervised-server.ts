import { setTimeout as wait } from 'node:timers/promises'
import { Program } from '../programs/program.ts'

export interface ServerPlace {
  readonly name: string
  readonly port: number
  readonly flags: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const READY = /^cairn ready (\S+)\n$/
const RESTART_DELAY_MS = 300
/** The time for a former leader to end, in milliseconds. */
const END_TIMEOUT_MS = 30_000

/** A server that is started again whenever it ends, as by a supervisor. */
export class SupervisedServer implements AsyncDisposable {
  readonly name: string
  readonly url: string
  readonly problems: string[] = []
  readonly #place: ServerPlace
  #program: Program
  #isWanted = true
  #running: Promise<void>

  constructor(place: ServerPlace) {
    this.#place = place
    this.name = place.name
    this.url = `http://127.0.0.1:${place.port}`
    this.#program = this.#start()
    this.#running = this.#supervise()
  }

  /** Waits until the process that runs now, or a later one, serves. */
  async served(): Promise<void> {
    for (;;) {
      const program = this.#program
      if (await program.line(READY).catch(() => null)) return
      while (this.#program === program) await wait(50)
    }
  }

  /** The process that runs now. */
  get process(): Program {
    return this.#program
  }

  /**
   * Waits until another process serves in the place of one.
   *
   * @throws when that goes on.
   */
  async replaced(process: Program): Promise<void> {
    const end = performance.now() + END_TIMEOUT_MS
    while (this.#program === process) {
      if (performance.now() > end) throw new Error(`${this.name} lost the lead and goes on`)
      await wait(50)
    }
    await this.served()
  }

  /** Ends it as a power cut does. */
  kill(): void {
    this.#program.process.kill('SIGKILL')
  }

  /** Stops it in the middle of what it does, until it goes on. Returns what lets it go on. */
  freeze(): () => void {
    const { process } = this.#program
    process.kill('SIGSTOP')
    return () => process.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isWanted = false
    this.#program.process.kill('SIGCONT')
    this.#program.process.kill('SIGTERM')
    const late = setTimeout(() => this.#program.process.kill('SIGKILL'), 20_000)
    await this.#running
    clearTimeout(late)
  }

  #start(): Program {
    const { port, flags, env = {} } = this.#place
    return new Program(['serve', '--port', `${port}`, ...flags], { env })
  }

  async #supervise(): Promise<void> {
    for (;;) {
      const { stderr } = await this.#program.ended()
      this.#look(stderr)
      await wait(RESTART_DELAY_MS)
      if (!this.#isWanted) return
      this.#program = this.#start()
    }
  }

  /** Looks for stack traces, and for errors in the log that are not about the database. */
  #look(stderr: string): void {
    for (const line of stderr.split('\n')) {
      if (/^ +at |^\w*Error/.test(line)) this.problems.push(`${this.name}: ${line}`)
    }
  }
}
