import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../core/clock.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { SourceFailed } from '../materials/modification.ts'
import { Tools } from '../materials/tools.ts'
import { MirrorDiverged, MirrorRemote } from './mirror-remote.ts'

export interface MirrorOptions {
  readonly url: string
  /** The folder of the repository. */
  readonly repository: string
  readonly history: Pick<History, 'current' | 'size' | 'listNewer' | 'onRevision' | 'readBranch'>
  /** The variables that git gets. */
  readonly environment: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly log: Log
  /** The shortest and the longest pause after a failure, in milliseconds. */
  readonly pauses?: { readonly from: number; readonly to: number }
}

/** How far the mirror is, as far as is known. */
export interface MirrorState {
  /** Without credentials. */
  readonly url: string
  /** Revisions that it does not have; null while that is not known. */
  readonly behind: number | null
  /** For how many seconds it has lacked some; 0 when it has all. */
  readonly seconds: number
  /** Why the last attempt failed, or null. */
  readonly error: string | null
}

/** Milliseconds after which a git command that hangs is ended; a push gets ten times as long. */
const TIMEOUT = 60_000
const PAUSES = { from: 1_000, to: 300_000 }

/**
 * Pushes the branch to another repository after every revision, beside whatever the service does. A
 * mirror that cannot be reached is tried again, less and less often; one that has commits of
 * its own is never forced.
 */
export class Mirror implements AsyncDisposable {
  readonly #options: MirrorOptions
  readonly #tools: Tools
  readonly #remote: MirrorRemote
  readonly #closing = new AbortController()
  readonly #loop: Promise<void>
  readonly #stopListening: () => void
  #wake: () => void = () => {}
  #isWanted = true
  #behind: number | null = null
  #behindSince: number
  #error: string | null = null

  /** @throws {ServiceError} `unavailable` when the URL is none that git may be given. */
  constructor(options: MirrorOptions) {
    const { url, environment, history, clock, repository } = options
    this.#options = options
    this.#tools = new Tools({ environment, timeout: TIMEOUT })
    this.#remote = openRemote(url, { tools: this.#tools, repository })
    this.#behindSince = clock()
    this.#stopListening = history.onRevision(({ added }) => this.#note(added.length))
    this.#loop = this.#run()
  }

  state(): MirrorState {
    const waited = this.#behind === 0 ? 0 : this.#options.clock() - this.#behindSince
    const seconds = Math.max(0, Math.round(waited / 1_000))
    return { url: this.#remote.url, behind: this.#behind, seconds, error: this.#error }
  }

  /** What an operator should look at, in words. */
  problems(): readonly string[] {
    return this.#error === null ? [] : [`The mirror ${this.#remote.url}: ${this.#error}`]
  }

  /** Ends a push that is under way; the next start makes up for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening()
    this.#closing.abort()
    this.#wake()
    await this.#tools[Symbol.asyncDispose]()
    await this.#loop
  }

  #note(added: number): void {
    if (this.#behind === 0) this.#behindSince = this.#options.clock()
    if (this.#behind !== null) this.#behind += added
    this.#isWanted = true
    this.#wake()
  }

  async #run(): Promise<void> {
    const { from, to } = this.#options.pauses ?? PAUSES
    let pause = from
    while (!this.#closing.signal.aborted) {
      if (!this.#isWanted) await new Promise<void>((resolve) => (this.#wake = resolve))
      else if (await this.#attempt()) pause = from
      else {
        await this.#rest(pause * (0.5 + Math.random() / 2))
        pause = Math.min(pause * 2, to)
      }
    }
  }

  async #attempt(): Promise<boolean> {
    this.#isWanted = false
    try {
      await this.#push()
      if (this.#error !== null) this.#log('info', 'The mirror is up to date again')
      this.#error = null
      return true
    } catch (error) {
      if (!isForeseen(error)) throw error
      this.#isWanted = true
      if (!this.#closing.signal.aborted && error.message !== this.#error) {
        this.#log('warning', error.message)
      }
      this.#error = error.message
      return false
    }
  }

  async #push(): Promise<void> {
    const { history } = this.#options
    const [branch, { commit }] = [await history.readBranch(), history.current()]
    if (branch === null) throw new SourceFailed('The repository is on no branch')
    if (this.#behind === null) await this.#count(await this.#remote.readTip(branch))
    await this.#remote.push(commit, branch)
    await this.#count(commit)
  }

  async #count(tip: CommitSha | null): Promise<void> {
    const { history } = this.#options
    this.#behind = tip === null ? history.size() : ((await history.listNewer(tip))?.length ?? null)
  }

  async #rest(pause: number): Promise<void> {
    try {
      await delay(pause, null, { signal: this.#closing.signal })
    } catch (error) {
      if (!this.#closing.signal.aborted) throw error
    }
  }

  #log(level: 'info' | 'warning', message: string): void {
    this.#options.log({ level, message, facts: { mirror: this.#remote.url } })
  }
}

function isForeseen(error: unknown): error is Error {
  return [SourceFailed, MirrorDiverged, ServiceError].some((kind) => error instanceof kind)
}

function openRemote(url: string, place: { tools: Tools; repository: string }): MirrorRemote {
  try {
    return new MirrorRemote(url, place)
  } catch (cause) {
    if (!(cause instanceof SourceFailed)) throw cause
    const reason = `The mirror cannot be pushed to: ${cause.message}`
    throw new ServiceError('unavailable', reason, { reason }, { cause })
  }
}
