import { join } from 'node:path'
import { Duplex } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
import { ServiceError, unavailable } from '../../core/errors.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { GitExecutable, RunOptions } from '../../git/git-executable.ts'
import { ended, type PipedProcess } from '../../processes/piped-process.ts'
import type { History } from '../history.ts'
import type { Report } from '../revision/problems.ts'
import { feed, outputOf, outputToTheEnd } from './git-streams.ts'
import { writePushHooks } from './push-hooks.ts'
import { answerPush, type PushedRef } from './push-turn.ts'

/** What clients of git ask for: to read, or to push. */
export type GitProgram = 'upload-pack' | 'receive-pack'

export interface GitServiceOptions {
  /** The folder of the repository and of its work tree. */
  readonly repository: string
  readonly history: Pick<History, 'advance' | 'git'>
  /** The command that judges a push, as arguments. */
  readonly pushCheck: readonly string[]
  readonly clock: Clock
  readonly report: Report
  /** The largest request, in bytes. */
  readonly limit: number
}

export interface GitCall {
  readonly program: GitProgram
  /** The `Git-Protocol` header. */
  readonly protocol: string | null
}

export interface GitExchange extends GitCall {
  readonly username: string
  readonly body: AsyncIterable<Uint8Array>
}

/** How many clients are served at once; each has a git process or two. */
const MOST_AT_ONCE = 16

/** The refs that a push names before its pack, in bytes. */
const COMMANDS_AT_MOST = 1_048_576
const COMPLAINT_AT_MOST = 8_192

const COMMON = ['safe.directory=*', 'transfer.hideRefs=refs/cairn', 'uploadpack.allowFilter=true']

/** Objects go to disk as a pack, checked and synced; refs are moved by the service and nobody else. */
const RECEIVE = [
  'receive.fsckObjects=true',
  'receive.unpackLimit=1',
  'receive.autogc=false',
  'receive.shallowUpdate=false',
  'receive.procReceiveRefs=refs',
  'core.fsync=all',
]

/** The repository for clients of git over HTTP, through the git program. */
export class GitService {
  readonly #options: GitServiceOptions
  readonly #git: GitExecutable
  readonly #gitDir: string
  readonly #hooks: string
  #running = 0

  private constructor(options: GitServiceOptions, git: GitExecutable) {
    this.#options = options
    this.#git = git
    this.#gitDir = join(options.repository, '.git')
    this.#hooks = join(this.#gitDir, 'cairn', 'hooks')
  }

  /** Null where there is no git program of 2.30 or newer. The repository has to be open already. */
  static async open(options: GitServiceOptions): Promise<GitService | null> {
    const { git } = options.history
    if (git === null) return null
    const service = new GitService(options, git)
    await writePushHooks(service.#hooks, options.pushCheck)
    return service
  }

  /** The refs and abilities that a client hears of first. */
  advertise(call: GitCall) {
    const child = this.#start(call, { isAdvertisement: true })
    child.stdin.end()
    return outputOf(child)
  }

  /**
   * Answers one request. A push whose client goes away before it was sent whole leaves nothing;
   * afterwards it goes on to its end.
   *
   * @throws {ServiceError} `unavailable` while too many clients are served.
   */
  exchange(exchange: GitExchange) {
    const child = this.#start(exchange, { isAdvertisement: false })
    const channel = child.stdio[3]
    const limit = this.#options.limit + COMMANDS_AT_MOST
    this.#inBackground(feed(child, { body: exchange.body, limit }))
    if (!(channel instanceof Duplex)) return outputOf(child)
    this.#answer(channel, exchange.username)
    child.once('close', () => channel.destroy())
    return outputToTheEnd(child)
  }

  #start(call: GitCall, { isAdvertisement }: { isAdvertisement: boolean }): PipedProcess {
    if (this.#running >= MOST_AT_ONCE) throw unavailable('Too many clients of git at once')
    const isPush = call.program === 'receive-pack'
    const settings = isPush ? [...COMMON, ...RECEIVE, ...this.#ownSettings()] : COMMON
    const mode = isAdvertisement ? ['--advertise-refs'] : []
    const args = [call.program, '--stateless-rpc', ...mode, '.']
    const env = call.protocol === null ? {} : { GIT_PROTOCOL: call.protocol }
    // What git says of its files goes to the client: they are named from here.
    const options: RunOptions = {
      env,
      cwd: this.#gitDir,
      hasChannel: isPush && !isAdvertisement,
    }
    const child = this.#git.run([...settings.flatMap((each) => ['-c', each]), ...args], options)
    this.#running += 1
    this.#inBackground(this.#watch(child, call.program))
    return child
  }

  #inBackground(work: Promise<void>): void {
    inBackground(this.#options.report, 'A client of git could not be served', work)
  }

  #ownSettings(): string[] {
    return [`core.hooksPath=${this.#hooks}`, `receive.maxInputSize=${this.#options.limit}`]
  }

  async #watch(child: PipedProcess, program: GitProgram): Promise<void> {
    let complaint = ''
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString('utf8')).slice(-COMPLAINT_AT_MOST)
    })
    const how = await ended(child)
    this.#running -= 1
    // A client that goes away is no failure, whatever git says of the line that broke.
    if (how === 'exit code 0' || how === 'SIGTERM' || child.stdout.readableAborted) return
    const facts = { how, complaint: complaint.trim() }
    this.#options.report({ level: 'warning', message: `git ${program} has failed`, facts })
  }

  #answer(channel: Duplex, username: string): void {
    // A git that ends early has told why; the end of the channel is nothing more.
    channel.on('error', () => channel.destroy())
    const move = (pushed: PushedRef) => this.#move(pushed, username)
    answerPush(channel, move).catch((error: unknown) => {
      channel.destroy()
      this.#options.report({ level: 'error', message: 'A push has failed', facts: { error } })
    })
  }

  async #move({ ref, from, to }: PushedRef, username: string): Promise<string | null> {
    const { history, clock } = this.#options
    try {
      const pushed = { branch: ref, from, to, username, time: clock(), reason: 'push' } as const
      const isMoved = await history.advance(pushed)
      return isMoved ? null : 'the configuration has changed meanwhile: fetch first'
    } catch (error) {
      if (error instanceof ServiceError) return error.message.replaceAll(/\s+/g, ' ')
      throw error
    }
  }
}
