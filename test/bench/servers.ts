import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type HeldTurn, turnsTold } from './held-turn.ts'
import { cpuOfProcess, cpuWithEnded } from './measure.ts'
import { RawClient } from './raw-client.ts'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const SAMPLER = fileURLToPath(new URL('./loop-sampler.js', import.meta.url))
const BARE = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
const BARE_APP = fileURLToPath(new URL('./bare-app.ts', import.meta.url))
const PASSWORD = 'a password'
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`
/** Requests under way at once. */
const CONCURRENCY = 8
/** How often, in milliseconds, and how many times at most it is looked whether a server rests. */
const POLL_INTERVAL_MS = 250
const LOOKS = 2_400

type Headers = Readonly<Record<string, string>>

export interface Sent {
  readonly method?: string
  readonly headers?: Headers
  readonly body?: string
}

/** A server in a process of its own, and what its answers cost. */
export class MeasuredServer implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly url: string
  readonly credentials = { username: 'admin', password: PASSWORD }
  readonly #agent = new Agent({ keepAlive: true })
  /** From the start of the process to its ready line, in milliseconds. */
  readonly startTime: number

  private constructor(process: ChildProcess, url: string, startTime: number) {
    this.#process = process
    this.url = url
    this.startTime = startTime
  }

  /** The service on a repository that is there, started through another program where one is named. */
  static cairn(
    places: { repository: string; state: string },
    more: readonly string[] = [],
    through: readonly string[] = [],
  ): Promise<MeasuredServer> {
    return MeasuredServer.#start(programOn(places, more), { through })
  }

  /** The service, which can tell what holds its main thread. */
  static sampled(places: { repository: string; state: string }): Promise<MeasuredServer> {
    const args = ['--import', SAMPLER, ...programOn(places)]
    return MeasuredServer.#start(args, { isSampled: true })
  }

  /** A server that answers the bytes of a file, and nothing else. */
  static bare(file: string, type: string): Promise<MeasuredServer> {
    return MeasuredServer.#start(['--import', 'tsx', BARE, file, type])
  }

  /** A Hono app with a route for each of these files, `/0` and so on, that answers its bytes. */
  static bareApp(files: readonly string[]): Promise<MeasuredServer> {
    return MeasuredServer.#start(['--import', 'tsx', BARE_APP, ...files])
  }

  static async #start(
    args: readonly string[],
    { through = [], isSampled = false }: { through?: readonly string[]; isSampled?: boolean } = {},
  ): Promise<MeasuredServer> {
    const begin = performance.now()
    const [program = '', ...words] = [...through, process.execPath, ...args]
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore', ...(isSampled ? ['ipc' as const] : [])]
    const child = spawn(program, words, { stdio })
    const [line] = child.stdout === null ? [] : await once(child.stdout, 'data')
    const [, url = ''] = /ready (\S+)/.exec(String(line)) ?? []
    return new MeasuredServer(child, url, performance.now() - begin)
  }

  /** The answer to one request, as it comes over the line. */
  get(path: string, headers: Headers = {}): Promise<Buffer> {
    return this.send(path, { headers })
  }

  /** Saves a document as the next revision, based on any revision or on a given digest. */
  async save(body: string, basedOn = '*'): Promise<void> {
    const headers = { 'if-match': basedOn, 'content-length': String(Buffer.byteLength(body)) }
    await this.send('/api/admin/config.xml', { method: 'PUT', headers, body })
  }

  /** Milliseconds until a text is in the answer to a request, and until its end. */
  async timesOf(path: string, text: string): Promise<{ seen: number; end: number }> {
    const start = performance.now()
    let seen = Infinity
    let soFar = ''
    await this.send(path, {}, (part) => {
      soFar += part.toString('latin1')
      if (seen === Infinity && soFar.includes(text)) seen = performance.now() - start
    })
    return { seen, end: performance.now() - start }
  }

  /** The answer to a request, which has to succeed. */
  send(
    path: string,
    { method = 'GET', headers: given = {}, body = '' }: Sent,
    onPart: (part: Buffer) => void = () => {},
  ): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: AUTHORIZATION, ...given }
      const options = { agent: this.#agent, method, headers }
      request(`${this.url}${path}`, options, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => {
          parts.push(part)
          onPart(part)
        })
        response.on('end', () => {
          if ((response.statusCode ?? 500) < 300) resolve(Buffer.concat(parts))
          else reject(new Error(`${path}: ${response.statusCode}`))
        })
      })
        .on('error', reject)
        .end(body)
    })
  }

  /** CPU milliseconds of the server, its git processes included, for one of these requests. */
  async costOf(paths: readonly string[], headers: Headers = {}) {
    return this.costOfEach(paths, (path) => this.get(path, headers))
  }

  /** A client that repeats the same request over some connections. */
  askerOf(path: string, headers: Headers = {}, connections = CONCURRENCY): RawClient {
    const all = { authorization: AUTHORIZATION, ...headers }
    return new RawClient(`${this.url}${path}`, all, connections)
  }

  /** The same for calls of any kind, some of them under way at once. */
  async costOfEach<Item>(
    items: readonly Item[],
    call: (item: Item) => Promise<unknown>,
    atOnce = CONCURRENCY,
  ) {
    const before = this.cpu()
    const left = items.values()
    const callers = Array.from({ length: atOnce }, async () => {
      for (const item of left) await call(item)
    })
    await Promise.all(callers)
    return (this.cpu() - before) / items.length
  }

  /** The turns of the loop that held the main thread of a sampled service for longest meanwhile. */
  async heldDuring(work: () => Promise<unknown>): Promise<readonly HeldTurn[]> {
    await this.#order('begin')
    await work()
    return turnsTold(await this.#order('end'))
  }

  async #order(order: 'begin' | 'end'): Promise<unknown> {
    this.#process.send(order)
    const [outcome] = await once(this.#process, 'message')
    return outcome
  }

  /** Waits until it does nothing unasked any more: what follows a start is no cost of a request. */
  async rest(): Promise<void> {
    for (let look = 0; look < LOOKS; look += 1) {
      const before = this.cpu()
      await wait(POLL_INTERVAL_MS)
      if (this.cpu() - before < POLL_INTERVAL_MS / 50) return
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    this.#process.kill('SIGTERM')
    await once(this.#process, 'close')
  }

  /** The memory that it has in use, in megabytes. */
  memory(): number {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
  }

  /** CPU milliseconds that the server and its git processes have used so far. */
  cpu(): number {
    return this.#sumOf(cpuOfProcess)
  }

  /** The same with the programs that have ended, of the server and of its processes. */
  cpuWithEnded(): number {
    return this.#sumOf(cpuWithEnded)
  }

  #sumOf(cpuOf: (pid: number) => number): number {
    const pid = this.#process.pid ?? 0
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const pids = [pid, ...children.filter((child) => child !== '').map(Number)]
    // A git process may have ended since it was listed.
    const running = pids.filter((each) => existsSync(`/proc/${each}/stat`))
    return running.reduce((sum, each) => sum + cpuOf(each), 0)
  }
}

function programOn(
  { repository, state }: { repository: string; state: string },
  more: readonly string[] = [],
): string[] {
  const folders = ['--config-repo', repository, '--state-dir', state]
  const local = ['--local-materials', dirname(repository)]
  const flags = [...folders, ...local, '--port', '0', ...more]
  return [MAIN, 'serve', ...flags, '--admin-password', PASSWORD]
}
