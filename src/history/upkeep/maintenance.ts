import type { Clock } from '../../lib/clock.ts'
import { describeFault } from '../../core/faults.ts'
import type { WriterQueue } from '../../storage/writer-queue.ts'
import { removeAbandoned } from './abandoned-objects.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { GitExecutable, Version } from '../../git/git-executable.ts'
import type { GitStore } from '../../git/git-store.ts'
import { removeObjectDrafts } from '../../git/objects/object-file.ts'
import type { ObjectReader } from '../../git/objects/object-reader.ts'
import type { Report } from '../revision/problems.ts'
import {
  type LooseSizes,
  measureRepository,
  type RepositoryMeasure,
  type RepositorySize,
} from './repository-size.ts'
import { DELTA_DEPTH } from '../../git/empty-repository.ts'

/** The limits above which loose objects and packs are repacked. */
export interface MaintenanceLimits {
  readonly looseObjects: number
  readonly looseBytes: number
  readonly packs: number
}

export interface MaintenanceState extends RepositorySize {
  /** The time of the last packing since the start, in milliseconds; null before the first. */
  readonly packedAt: number | null
  /** Why the last attempt failed, or null. */
  readonly problem: string | null
}

export interface MaintenanceOptions {
  /** Null without a git program: then objects are only counted. */
  readonly git: GitExecutable | null
  readonly store: GitStore
  readonly reader: ObjectReader
  readonly queue: WriterQueue
  readonly limits?: MaintenanceLimits
  readonly clock: Clock
  readonly report: Report
}

const LIMITS: MaintenanceLimits = { looseObjects: 1_000, looseBytes: 32 * 1_048_576, packs: 20 }
/** A revision is a blob, a tree and a commit. */
const OBJECTS_OF_REVISION = 3
/** New revisions after which the size is measured. */
const REVISIONS_BETWEEN_LOOKS = 64
/** Milliseconds after which the size is measured in any case, because other tools write too. */
const INTERVAL_MS = 600_000
/** Milliseconds after the start, and after a revision, until the next measurement. */
const NEXT_MEASUREMENT_MS = 10_000
const NOTHING: RepositorySize = { looseObjects: 0, looseBytes: 0, packs: 0, packBytes: 0 }

/**
 * Keeps the repository small and quick to read: measures it and, above a limit, lets git pack it.
 * Reads and writes go on meanwhile.
 */
export class Maintenance implements AsyncDisposable {
  readonly #options: MaintenanceOptions
  readonly #limits: MaintenanceLimits
  readonly #stop = new AbortController()
  #state: MaintenanceState | null = null
  #packFiles: readonly string[] = []
  #looseSizes: LooseSizes = new Map()
  /** The measurement after the last packing. */
  #rest = NOTHING
  #newRevisions = 0
  #running: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(options: MaintenanceOptions) {
    this.#options = options
    this.#limits = options.limits ?? LIMITS
    this.#wakeIn(NEXT_MEASUREMENT_MS)
  }

  /** The last measurement; null before the first. */
  state(): MaintenanceState | null {
    return this.#state
  }

  /** Counts new revisions and schedules a measurement, at once when there are many of them. */
  noteRevisions(count: number): void {
    if (this.#newRevisions === 0) this.#wakeIn(NEXT_MEASUREMENT_MS)
    this.#newRevisions += count
    const many = Math.ceil(this.#limits.looseObjects / OBJECTS_OF_REVISION)
    if (this.#newRevisions >= Math.min(many, REVISIONS_BETWEEN_LOOKS)) {
      this.#lookInBackground()
    }
  }

  /** Measures, and packs above a limit. One run at a time; never fails. */
  look(): Promise<void> {
    this.#running ??= this.#look().finally(() => {
      this.#running = null
      this.#wakeIn(this.#newRevisions === 0 ? INTERVAL_MS : NEXT_MEASUREMENT_MS)
    })
    return this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    if (this.#timer) clearTimeout(this.#timer)
    await this.#running
  }

  #lookInBackground(): void {
    inBackground(this.#options.report, 'The maintenance has failed', this.look())
  }

  async #look(): Promise<void> {
    try {
      await this.#afterWrites()
      this.#newRevisions = 0
      await this.#measure()
      const { git } = this.#options
      if (git !== null && this.#isDue()) await this.#pack(git)
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#logFailure(error)
    }
  }

  /** Waits for the writes under way. The first run removes leftovers of a crash before other writes begin. */
  async #afterWrites(): Promise<void> {
    const { queue, store } = this.#options
    await queue.run(async () => {
      if (this.#state === null) await removeObjectDrafts(store)
    })
  }

  async #pack(git: GitExecutable): Promise<void> {
    const { store, clock, report } = this.#options
    const before = this.#state
    await removeAbandoned(store, clock())
    await packRepository(git, store.gitDir, this.#stop.signal)
    if (this.#stop.signal.aborted) return
    this.#rest = await this.#measure()
    this.#state = { ...this.#rest, packedAt: clock(), problem: null }
    const facts = { before, after: this.#rest }
    report({ level: 'info', message: 'The repository was packed', facts })
  }

  async #measure(): Promise<RepositorySize> {
    const { store } = this.#options
    const { packFiles, looseSizes, ...size } = await measureRepository(store, this.#looseSizes)
    this.#looseSizes = looseSizes
    this.#state = { packedAt: null, problem: null, ...this.#state, ...size }
    this.#release(packFiles)
    return size
  }

  /** Packs may have been replaced, by our packing or by another git process. */
  #release(packFiles: RepositoryMeasure['packFiles']): void {
    const present = new Set(packFiles)
    if (this.#packFiles.some((name) => !present.has(name))) this.#options.reader.renew()
    this.#packFiles = packFiles
  }

  #isDue(): boolean {
    const size = this.#state ?? NOTHING
    const { looseObjects, looseBytes, packs } = this.#limits
    return (
      size.looseObjects >= this.#rest.looseObjects + looseObjects ||
      size.looseBytes >= this.#rest.looseBytes + looseBytes ||
      size.packs >= this.#rest.packs + packs
    )
  }

  #logFailure(error: unknown): void {
    const problem = describeFault(error)
    this.#state = { packedAt: null, ...NOTHING, ...this.#state, problem }
    this.#options.report({
      level: 'warning',
      message: 'The repository could not be packed',
      facts: { error },
    })
  }

  #wakeIn(delay: number): void {
    if (this.#stop.signal.aborted) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#lookInBackground(), delay)
    this.#timer.unref()
  }
}

/** Uses one processor, and syncs packs before the files that they replace are removed. */
const SETTINGS = ['-c', 'pack.threads=1', '-c', 'core.fsync=committed']
const REPACK = [...SETTINGS, 'repack', '-d', '-q', `--depth=${DELTA_DEPTH}`]
const GEOMETRIC_SINCE: Version = [2, 32]

/**
 * Puts loose objects into a pack, and packs of like size into larger ones, so that their number
 * grows with the logarithm of the history and every object is written again only as often.
 * The first step reads the history in its order, which makes the deltas small.
 *
 * Nothing is ever dropped, reachable or not: a writer may be about to refer to it.
 */
async function packRepository(
  git: GitExecutable,
  gitDir: string,
  signal: AbortSignal,
): Promise<void> {
  const together = git.isAtLeast(GEOMETRIC_SINCE) ? ['--geometric=2'] : ['-a', '--keep-unreachable']
  const graph = ['commit-graph', 'write', '--reachable', '--split', '--no-progress']
  for (const args of [REPACK, [...REPACK, ...together], [...SETTINGS, ...graph]]) {
    await git.runAtLowPriority(gitDir, args, signal)
  }
}
