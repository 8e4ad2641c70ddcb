import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { Program } from '../programs/program.ts'
import { KEY } from '../agents/protocol-agent.ts'
import type { Ledger } from './ledger.ts'

const PASSWORD = 'a password'
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`
const READY = /^cairn ready (\S+)\n$/
const FLAGS = [
  // Floods come from everywhere, as a proxy tells it.
  '--trusted-proxies',
  '127.0.0.1',
  '--local-materials',
  '.',
  '--port',
  '0',
  '--poll-interval',
  '1s',
  '--material-interval',
  '24h',
]

/** A caller finds that the server has been killed. */
export class Gone extends Error {}

export type SoakedInit = RequestInit & { readonly as?: string | null }

/** One life of a server that is going to be killed. */
export class SoakedServer {
  readonly repository: string
  readonly ledger: Ledger
  readonly #program: Program
  readonly url: string
  #killed = false

  private constructor(program: Program, url: string, life: { folder: string; ledger: Ledger }) {
    this.#program = program
    this.url = url
    this.ledger = life.ledger
    this.repository = join(life.folder, 'config-repo')
  }

  static async start(folder: string, ledger: Ledger): Promise<SoakedServer> {
    const flags = [...FLAGS, '--admin-password', PASSWORD, '--auto-register-key', KEY]
    const program = new Program(['serve', ...flags], { cwd: folder })
    return new SoakedServer(program, await program.line(READY), { folder, ledger })
  }

  /**
   * The answer, read to its end. An answer that no caller should get is a problem.
   *
   * @throws {Gone} when the server was killed before it had answered.
   */
  readonly fetch = async (path: string, { as, ...init }: SoakedInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (as !== null) headers.set('authorization', AUTHORIZATION)
    const { response, body } = await this.#unlessGone(path, async () => {
      const answer = await fetch(`${this.url}${path}`, { ...init, headers })
      return { response: answer, body: await answer.arrayBuffer() }
    })
    const { status } = response
    const call = `${init.method ?? 'GET'} ${path}`
    if (status >= 500) this.ledger.complain(`${call}: ${status} ${Buffer.from(body).toString()}`)
    return new Response(body.byteLength > 0 ? body : null, { status, headers: response.headers })
  }

  /** The same, and any other status than these is a problem. */
  async call(path: string, statuses: readonly number[], init: SoakedInit = {}): Promise<Response> {
    const response = await this.fetch(path, init)
    if (!statuses.includes(response.status) && response.status < 500) {
      const text = (await response.clone().text()).slice(0, 300)
      this.ledger.complain(`${init.method ?? 'GET'} ${path}: ${response.status} ${text}`)
    }
    if (response.status >= 400) this.ledger.count(`refused with ${response.status}`)
    return response
  }

  /** Whether a digest is served, byte for byte. */
  async serves(digest: string): Promise<boolean> {
    const response = await this.fetch(`/api/admin/config/${digest}.xml`)
    if (response.status !== 200) return false
    const found = createHash('md5')
      .update(Buffer.from(await response.arrayBuffer()))
      .digest('hex')
    if (found !== digest) this.ledger.complain(`${digest} is served with the bytes of ${found}`)
    return true
  }

  /** Repeats something for as long as the server lives. */
  async untilGone(work: () => Promise<void>): Promise<void> {
    try {
      while (!this.#killed) await work()
    } catch (error) {
      if (!(error instanceof Gone)) throw error
    }
  }

  async kill(): Promise<void> {
    this.#killed = true
    this.#program.process.kill('SIGKILL')
    await this.#end()
  }

  async stop(): Promise<void> {
    this.#program.process.kill('SIGTERM')
    await this.#end()
    const { exitCode } = this.#program.process
    if (exitCode !== 0) this.ledger.complain(`it ended with ${exitCode}`)
  }

  /** Ends the server; a line of its log that is more than news is a problem. */
  async #end(): Promise<void> {
    const { stderr } = await this.#program.ended()
    for (const line of stderr.split('\n')) {
      if (line !== '' && !/^\{.*"level":"(info|warning)"/.test(line) && line.endsWith('}'))
        this.ledger.complain(`log: ${line}`)
      if (/^ +at |^\w*Error/.test(line)) this.ledger.complain(`log: ${line}`)
    }
  }

  async #unlessGone<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      if (!this.#killed) this.ledger.complain(`${path}: ${inspect(error.cause)}`)
      throw new Gone()
    }
  }
}
