import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Duplex, PassThrough, Readable } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
import { ServiceError, unavailable } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { inBackground } from '../../lib/in-background.ts'
import { webStreamOf } from '../../lib/web-stream.ts'
import { boundaryFile } from '../../git/boundary.ts'
import { boundaryVariable, type GitExecutable, type RunOptions } from '../../git/git-executable.ts'
import { ended, endGroup, type PipedProcess } from '../../processes/piped-process.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import type { History } from '../history.ts'
import type { Report } from '../revision/problems.ts'
import { withTerminalNotes, archiveAdvice } from './terminal-notes.ts'
import { readBranch } from '../../git/refs.ts'
import { isForReview } from './push-check.ts'
import { answerPush, type PushedRef } from './push-turn.ts'
import nodeFs from 'node:fs/promises'
import { replaceFile } from '../../storage/durable-fs.ts'
import { shellQuote } from '../../core/service/command-words.ts'
import { once } from 'node:events'

/** The git service of a request: read, or push. */
export type GitProgram = 'upload-pack' | 'receive-pack'

export interface GitServiceOptions {
  /** The folder of the repository and of its work tree. */
  readonly repository: string
  readonly history: Pick<History, 'advance' | 'findCommit' | 'git' | 'numberOf'>
  /** The command that checks a push, as arguments. */
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
  readonly principal: Principal
  readonly body: AsyncIterable<Uint8Array>
  /** Throws when the client, by the time that its push has come, may not move this ref. */
  readonly assertMayMove: (ref: string) => Promise<void>
  /** The path of a page about a pushed revision that the client may open. */
  readonly pageOf: (revision: Revision) => Promise<string>
  /** The whole address of a path, as the client reaches the service. */
  readonly addressOf: (path: string) => string
}

interface NotedExchange extends GitExchange {
  /** Lines for the client's terminal. */
  readonly notes: string[]
}

interface StartOptions {
  readonly isAdvertisement: boolean
  /** Settings of git besides those of every call. */
  readonly settings: readonly string[]
}

/** A push that proposes its newest document. */
export interface PushedProposal {
  /** `refs/for/` and the branch. */
  readonly ref: string
  readonly commit: CommitSha
  readonly principal: Principal
  /** The whole address of a path. */
  readonly addressOf: (path: string) => string
}

/** Says what a pushed document starts, as far as its client may know. Returns lines for a terminal. */
export type PlanPush = (principal: Principal, commit: CommitSha) => Promise<readonly string[]>

/** Makes a proposal of a push. Returns lines for the client's terminal. */
export type ProposePush = (pushed: PushedProposal) => Promise<readonly string[]>

/** The limit of concurrent clients; each needs up to two git processes. */
const MAX_CLIENTS = 16

/** The limit of bytes before the pack of a push, for its list of refs. */
const MAX_COMMAND_BYTES = 1_048_576
const MAX_COMPLAINT_BYTES = 8_192

const COMMON = ['safe.directory=*', 'transfer.hideRefs=refs/cairn']

/**
 * For partial clones, which ask for documents by name; the second protocol lets every client do that.
 * There are none of a history that begins behind an archive: git would fetch from there without end.
 */
const READ_IN_PARTS = ['uploadpack.allowFilter=true', 'uploadpack.allowAnySHA1InWant=true']

/** Git writes the objects as a pack, checked and synced. Only the service moves refs. */
const RECEIVE = [
  'receive.hideRefs=refs/proposals',
  'receive.fsckObjects=true',
  'receive.unpackLimit=1',
  'receive.autogc=false',
  'receive.shallowUpdate=false',
  'receive.procReceiveRefs=refs',
  'core.fsync=all',
]

/** Serves the repository to git clients over HTTP, through the git program. */
export class GitService {
  readonly #options: GitServiceOptions
  readonly #git: GitExecutable
  readonly #gitDir: string
  readonly #hooks: string
  #propose: ProposePush = () => {
    throw unavailable('This server takes no proposals now: push to the one that leads')
  }
  #plan: PlanPush = () => Promise.resolve([])
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

  /** Makes proposals of pushes to `refs/for/` from now on. */
  proposeBy(propose: ProposePush): void {
    this.#propose = propose
  }

  /** Says what pushes start from now on. */
  planBy(plan: PlanPush): void {
    this.#plan = plan
  }

  /**
   * The advertisement of refs and capabilities, the first answer to a client. Who may only push hears of the
   * branch alone: other refs have names too.
   */
  async advertise(call: GitCall, { isForReader }: { readonly isForReader: boolean }) {
    const settings = isForReader ? [] : await this.#branchAlone()
    const child = await this.#start(call, { isAdvertisement: true, settings })
    child.stdin.end()
    return this.#outputOf(child)
  }

  /**
   * Answers one request. A push that breaks off before it was received whole has no effect; after
   * that it runs to its end.
   *
   * @throws {ServiceError} `unavailable` while too many clients are served, or git cannot be started.
   */
  async exchange(exchange: GitExchange) {
    const child = await this.#start(exchange, { isAdvertisement: false, settings: [] })
    const channel = child.stdio[3]
    const limit = this.#options.limit + MAX_COMMAND_BYTES
    this.#inBackground(feed(child, { body: exchange.body, limit }))
    if (!(channel instanceof Duplex)) return this.#outputOf(child)
    const notes: string[] = []
    this.#answer(channel, { ...exchange, notes })
    child.once('close', () => channel.destroy())
    const advise = this.#hasBoundary() ? archiveAdvice : () => []
    const noted = withTerminalNotes(outputToTheEnd(child), (shown) => [
      ...advise(shown),
      ...notes.splice(0),
    ])
    return webStreamOf(Readable.from(noted, { objectMode: false }))
  }

  async #start(
    call: GitCall,
    { isAdvertisement, settings: more }: StartOptions,
  ): Promise<PipedProcess> {
    if (this.#running >= MAX_CLIENTS) throw unavailable('Too many clients of git at once')
    const isPush = call.program === 'receive-pack'
    const settings = [...COMMON, ...(isPush ? this.#pushSettings() : this.#readSettings()), ...more]
    const mode = isAdvertisement ? ['--advertise-refs'] : []
    const args = [call.program, '--stateless-rpc', ...mode, '.']
    const env = {
      ...boundaryVariable(this.#gitDir),
      ...(call.protocol === null ? {} : { GIT_PROTOCOL: call.protocol }),
    }
    // Git's messages reach the client, so it gets relative paths: this folder is its working directory.
    const options: RunOptions = {
      env,
      cwd: this.#gitDir,
      ...(isPush && !isAdvertisement ? { channel: 'bytes' } : {}),
    }
    const given = [...settings.flatMap((each) => ['-c', each]), ...args]
    this.#running += 1
    try {
      const child = await this.#git.runStarted(given, options)
      this.#inBackground(this.#watch(child, call.program))
      return child
    } catch (error) {
      this.#running -= 1
      throw error
    }
  }

  /** Streams git's output with back-pressure. Ends git when the reader stops early, whatever it does. */
  #outputOf(child: PipedProcess) {
    child.stdout.once('close', () => {
      if (!child.stdout.readableEnded) this.#inBackground(endGroup(child))
    })
    return webStreamOf(child.stdout)
  }

  #inBackground(work: Promise<void>): void {
    inBackground(this.#options.report, 'A client of git could not be served', work)
  }

  #pushSettings(): readonly string[] {
    const { limit } = this.#options
    return [...RECEIVE, `core.hooksPath=${this.#hooks}`, `receive.maxInputSize=${limit}`]
  }

  /** Of several settings that fit a ref, the last one counts. */
  async #branchAlone(): Promise<readonly string[]> {
    const branch = await readBranch({ fs: nodeFs, gitDir: this.#gitDir })
    const shown = branch === null ? [] : [`receive.hideRefs=!${branch}`]
    return ['receive.hideRefs=refs', ...shown]
  }

  #readSettings(): readonly string[] {
    return this.#hasBoundary() ? [] : READ_IN_PARTS
  }

  /** Whether the history begins behind an archive. */
  #hasBoundary(): boolean {
    return existsSync(boundaryFile(this.#gitDir))
  }

  async #watch(child: PipedProcess, program: GitProgram): Promise<void> {
    let complaint = ''
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString('utf8')).slice(-MAX_COMPLAINT_BYTES)
    })
    const how = await ended(child)
    this.#running -= 1
    // A client that disconnects is no failure, whatever git reports.
    if (how === 'exit code 0' || how === 'SIGTERM' || child.stdout.readableAborted) return
    const facts = { how, complaint: complaint.trim() }
    this.#options.report({ level: 'warning', message: `git ${program} has failed`, facts })
  }

  #answer(channel: Duplex, exchange: NotedExchange): void {
    // A git process that ends early has reported the reason; the closed channel adds nothing.
    channel.on('error', () => channel.destroy())
    const move = (pushed: PushedRef) => this.#move(pushed, exchange)
    answerPush(channel, move).catch((error: unknown) => {
      channel.destroy()
      this.#options.report({ level: 'error', message: 'A push has failed', facts: { error } })
    })
  }

  async #move(
    { ref, from, to }: PushedRef,
    { principal, assertMayMove, pageOf, addressOf, notes }: NotedExchange,
  ): Promise<string | null> {
    const { history, clock } = this.#options
    try {
      await assertMayMove(ref)
      if (isForReview(ref)) {
        notes.push(...(await this.#propose({ ref, commit: to, principal, addressOf })))
        return null
      }
      const { username } = principal
      const starts = await this.#describeStarts(principal, to)
      const pushed = { branch: ref, from, to, username, time: clock(), reason: 'push' } as const
      const isMoved = await history.advance(pushed, { door: 'push', principal })
      if (!isMoved) return 'the configuration has changed meanwhile: fetch first'
      notes.push(await this.#describe(to, { pageOf, addressOf }), ...starts)
      return null
    } catch (error) {
      if (error instanceof ServiceError) return error.message.replaceAll(/\s+/g, ' ')
      throw error
    }
  }

  async #describe(
    commit: CommitSha,
    { pageOf, addressOf }: Pick<GitExchange, 'pageOf' | 'addressOf'>,
  ): Promise<string> {
    const { history } = this.#options
    const revision = history.findCommit(commit)
    const number = revision && history.numberOf(revision)
    if (revision === null || number === null) return 'Saved'
    try {
      return `Saved as r${number}: ${addressOf(await pageOf(revision))}`
    } catch (error) {
      // The branch has moved: the push has succeeded, whatever is said of it.
      this.#reportUndescribed(error)
      return `Saved as r${number}`
    }
  }

  /** Before the branch moves: what begins then cannot be told from what would have begun anyway. */
  async #describeStarts(principal: Principal, commit: CommitSha): Promise<readonly string[]> {
    try {
      return await this.#plan(principal, commit)
    } catch (error) {
      this.#reportUndescribed(error)
      return []
    }
  }

  #reportUndescribed(error: unknown): void {
    const message = 'A push could not be described'
    this.#options.report({ level: 'warning', message, facts: { error } })
  }
}

/** Pipes the `proc-receive` protocol between git and the service, which moves the refs. */
const RELAY = ['exec 5<&0', 'cat <&5 >&3 2>/dev/null &', 'exec cat <&3'].join('\n')

/**
 * Writes a folder with the hooks for a push through the service. They replace the repository's own
 * hooks, so that no push goes unchecked.
 */
async function writePushHooks(folder: string, pushCheck: readonly string[]): Promise<void> {
  const judge = `exec ${[...pushCheck, '--other-refs', 'refuse'].map(shellQuote).join(' ')}`
  await nodeFs.mkdir(folder, { recursive: true })
  for (const [name, script] of [
    ['pre-receive', judge],
    ['proc-receive', RELAY],
  ] as const) {
    await replaceFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
}

/** Streams the output of a git process that must run to its end, even when the reader stops early. */
function outputToTheEnd({ stdout }: PipedProcess): Readable {
  const output = stdout.pipe(new PassThrough())
  output.once('close', () => {
    stdout.unpipe(output)
    stdout.resume()
  })
  return output
}

/**
 * Pipes a body into git with back-pressure. The rest of a body that git does not read, or that
 * exceeds the limit, is drained, so that the client can receive the reason. When the body breaks
 * off, git's input closes, and git cleans up.
 */
async function feed(
  { stdin }: PipedProcess,
  { body, limit }: { body: AsyncIterable<Uint8Array>; limit: number },
): Promise<void> {
  const closed = new Promise((resolve) => stdin.once('close', resolve))
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > limit) stdin.destroy()
      if (stdin.writable && !stdin.write(chunk)) await Promise.race([once(stdin, 'drain'), closed])
    }
    stdin.end()
  } catch {
    stdin.destroy()
  }
}
