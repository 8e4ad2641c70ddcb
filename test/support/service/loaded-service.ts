import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { JobInstance } from '../../../src/builds/engine/documents.ts'
import { placesIn } from './backups.ts'
import { documentWith } from '../documents/documents.ts'
import { bundled } from '../programs/bundle.ts'
import type { Program } from '../programs/program.ts'
import { ADMIN_PASSWORD, callerOf } from './service.ts'
import { start } from '../programs/start.ts'

const BUILDER = new URL('../../crash/builds/builder.ts', import.meta.url)

const Step = z.union([z.object({ counter: z.int() }), z.object({ job: JobInstance })])
export type Step = z.infer<typeof Step>

export interface LoadLimits {
  /** Asked before each save: how many there may be by now. Without it, saves never pause. */
  readonly savesAtMost?: () => number
  /** The pause of each of the builder's agents after a job, in milliseconds. */
  readonly restMs?: number
}

interface LoadOptions {
  readonly url: string
  readonly folder: string
  readonly name: string
  readonly limits: LoadLimits
}

/** A server and a builder on one state store, each a process of its own, that save and build until they are killed. */
export class LoadedService {
  /** Digests of the saves that were acknowledged. */
  readonly saved: string[] = []
  /** Steps of builds that were acknowledged. */
  readonly steps: Step[] = []
  readonly #server: Program
  readonly #builder: ChildProcess
  readonly #work: Promise<void>[]
  #isKilled = false

  private constructor(server: Program, options: LoadOptions) {
    this.#server = server
    const file = join(options.folder, 'state', 'state.sqlite')
    const rest = String(options.limits.restMs ?? 0)
    const builder = spawn(process.execPath, [bundled(BUILDER), file, rest], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#builder = builder
    this.#work = [this.#save(options), this.#listen(createInterface(builder.stdout))]
  }

  static async start(
    folder: string,
    name: string,
    limits: LoadLimits = {},
  ): Promise<LoadedService> {
    const flags = ['--port', '0', '--admin-password', ADMIN_PASSWORD, '--material-interval', '24h']
    const server = start(['serve', ...placesIn(folder), ...flags])
    const url = await server.line(/^cairn ready (\S+)\n$/)
    return new LoadedService(server, { url, folder, name, limits })
  }

  /** Kills both at once and waits for their ends. */
  async kill(): Promise<void> {
    this.#isKilled = true
    const gone = once(this.#builder, 'close')
    this.#server.process.kill('SIGKILL')
    this.#builder.kill('SIGKILL')
    await Promise.all([gone, this.#server.ended(), ...this.#work])
  }

  async #save({ url, name, limits }: LoadOptions): Promise<void> {
    const { savesAtMost = () => Infinity } = limits
    const fetch = callerOf(url)
    for (let n = 0; ; n += 1) {
      while (n >= savesAtMost() && !this.#isKilled) await wait(10)
      const body = documentWith(`${name}-${n}`)
      const init = { method: 'PUT', headers: { 'if-match': '*' }, body }
      const answer = await orNullWhenGone(() => fetch('/api/admin/config.xml', init))
      if (answer === null) return
      if (answer.status === 200) this.saved.push(createHash('md5').update(body).digest('hex'))
    }
  }

  async #listen(lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) {
      if (line.endsWith('}')) this.steps.push(Step.parse(JSON.parse(line)))
    }
  }
}

async function orNullWhenGone(call: () => Promise<Response>): Promise<Response | null> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}
