import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ProgramOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** The program itself, when it is not the one of this checkout. */
  readonly main?: string
  /** How many files it may have open; the program prlimit is needed for that. */
  readonly files?: number
  /** The number of the user and of the group that it runs as; only root may name one. */
  readonly user?: number
  /** A program that starts it, with its arguments. */
  readonly through?: readonly string[]
}

/** A started subcommand of the compiled program: a real process, ended with the test. */
export class Program {
  readonly process: ChildProcess
  stdout = ''
  stderr = ''

  constructor(args: readonly string[], options: ProgramOptions = {}) {
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...options.env }
    const limited = options.files ? ['prlimit', `--nofile=${options.files}`] : []
    const line = [
      ...(options.through ?? []),
      ...limited,
      process.execPath,
      options.main ?? MAIN,
      ...args,
    ]
    this.process = spawn(line[0] ?? '', line.slice(1), {
      env,
      ...(options.cwd ? { cwd: options.cwd } : {}),
      ...(options.user ? { uid: options.user, gid: options.user } : {}),
    })
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text))
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.process.stdin?.end(options.input ?? '')
  }

  /** Waits for a line of standard output that matches, and gives its first group. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const [, found] = pattern.exec(this.stdout) ?? []
      if (found !== undefined) return found
      if (this.process.exitCode !== null || this.process.signalCode !== null)
        throw new Error(`ended before ${pattern}: ${this.stderr}`)
      await Promise.race([
        once(this.process.stdout ?? this.process, 'data'),
        once(this.process, 'close'),
      ])
    }
  }

  async ended(): Promise<Ended> {
    if (this.process.exitCode === null && this.process.signalCode === null)
      await once(this.process, 'close')
    return { code: this.process.exitCode, stdout: this.stdout, stderr: this.stderr }
  }
}
