import type { Clock } from '../../lib/clock.ts'
import { ServiceError, unavailable } from '../../core/errors.ts'
import { describeFault } from '../../core/faults.ts'
import type { Log } from '../../lib/log.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { RetryLoop } from '../../lib/retry.ts'
import { SourceFailed } from '../../sources/modification.ts'
import { Tools } from '../../sources/tools.ts'
import type { HealthBody } from '../../wire/health-body.ts'
import { MirrorDiverged, MirrorRemote } from './mirror-remote.ts'

export interface MirrorOptions {
  readonly url: string
  /** The folder of the repository. */
  readonly repository: string
  readonly history: Pick<
    History,
    'archived' | 'current' | 'kept' | 'listNewer' | 'onRevision' | 'readBranch'
  >
  /** The variables that git gets. */
  readonly environment: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly log: Log
}

/** The last known state of the mirror. */
export type MirrorState = Readonly<NonNullable<HealthBody['mirror']>>

/** Milliseconds after which a git command that hangs is ended; a push gets ten times as long. */
const TIMEOUT_MS = 60_000
const PAUSES = { fromMs: 1_000, toMs: 300_000 }

/**
 * Pushes the branch to another repository after every revision, in the background. An unreachable
 * mirror is retried with back-off; one with commits of its own is never forced.
 */
export class Mirror implements AsyncDisposable {
  readonly #options: MirrorOptions
  readonly #tools: Tools
  readonly #remote: MirrorRemote
  readonly #loop: RetryLoop
  readonly #stopListening: () => void
  #behind: number | null = null
  #behindSince: number

  /** @throws {ServiceError} `unavailable` when the URL is none that git may be given. */
  constructor(options: MirrorOptions) {
    const { url, environment, history, clock, repository } = options
    this.#options = options
    this.#tools = new Tools({ environment, timeout: TIMEOUT_MS })
    this.#remote = openRemote(url, { tools: this.#tools, repository })
    this.#behindSince = clock()
    this.#loop = new RetryLoop({
      round: () => this.#push(),
      pauses: PAUSES,
      problemOf,
      report: (problem, error) => this.#report(problem, error),
    })
    this.#stopListening = history.onRevision(({ added }) => this.#note(added.length))
  }

  state(): MirrorState {
    const waited = this.#behind === 0 ? 0 : this.#options.clock() - this.#behindSince
    const seconds = Math.max(0, Math.round(waited / 1_000))
    return { url: this.#remote.url, behind: this.#behind, seconds, error: this.#loop.problem }
  }

  /** A warning for operators, or null. */
  problems(): readonly string[] {
    const { problem } = this.#loop
    return problem === null ? [] : [`The mirror ${this.#remote.url}: ${problem}`]
  }

  /** Stops a running push; the next start repeats it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening()
    await Promise.all([this.#loop[Symbol.asyncDispose](), this.#tools[Symbol.asyncDispose]()])
  }

  #note(added: number): void {
    if (this.#behind === 0) this.#behindSince = this.#options.clock()
    if (this.#behind !== null) this.#behind += added
    this.#loop.wake()
  }

  async #push(): Promise<void> {
    const { history } = this.#options
    const [branch, { commit }] = [await history.readBranch(), history.current()]
    if (branch === null) throw new SourceFailed('The repository is on no branch')
    if (this.#behind === null) await this.#count(await this.#remote.readTip(branch))
    await this.#remote.push(commit, branch, history.archived === 0)
    await this.#count(commit)
  }

  async #count(tip: CommitSha | null): Promise<void> {
    const { history } = this.#options
    this.#behind = tip === null ? history.kept() : ((await history.listNewer(tip))?.length ?? null)
  }

  #report(problem: string | null, error: unknown): void {
    const level = problem === null ? 'info' : 'warning'
    const message = problem ?? 'The mirror is up to date again'
    const reason = problem === null || isForeseen(error) ? {} : { error }
    this.#options.log({ level, message, facts: { mirror: this.#remote.url, ...reason } })
  }
}

function problemOf(error: unknown): string {
  return isForeseen(error) ? error.message : describeFault(error)
}

function isForeseen(error: unknown): error is Error {
  return [SourceFailed, MirrorDiverged, ServiceError].some((kind) => error instanceof kind)
}

function openRemote(url: string, place: { tools: Tools; repository: string }): MirrorRemote {
  try {
    return new MirrorRemote(url, place)
  } catch (cause) {
    if (!(cause instanceof SourceFailed)) throw cause
    throw unavailable(`The mirror cannot be pushed to: ${cause.message}`, cause)
  }
}
