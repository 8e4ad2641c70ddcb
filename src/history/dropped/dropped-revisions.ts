import type { Digest } from '../../core/digest.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import type { GitStore } from '../../git/git-store.ts'
import { type CommitReading, revisionOf } from '../revision/revision-of.ts'
import { listDropped } from './dropped-refs.ts'

export interface DroppedRevisionsOptions extends CommitReading {
  readonly store: GitStore
  readonly isOnBranch: (commit: CommitSha) => boolean
}

/** The result of one reading, valid as long as the refs and the ends of the branch are these. */
interface DroppedReading {
  readonly tips: readonly CommitSha[]
  /** The commits of the branch at which it stopped. */
  readonly ends: ReadonlySet<CommitSha>
  readonly byCommit: ReadonlyMap<CommitSha, Revision>
  readonly byDigest: ReadonlyMap<Digest, Revision>
}

const NOTHING: DroppedReading = {
  tips: [],
  ends: new Set(),
  byCommit: new Map(),
  byDigest: new Map(),
}

/**
 * Revisions that the branch had once, which can be read but are not listed. They are loaded at the
 * first request, so a start costs nothing. A request costs a look at the names of the refs and,
 * when these have changed, as much as was dropped.
 */
export class DroppedRevisions {
  readonly #options: DroppedRevisionsOptions
  readonly #questions = new SerialQueue()
  #reading = NOTHING

  constructor(options: DroppedRevisionsOptions) {
    this.#options = options
  }

  /** The newest of them with that digest. */
  async find(digest: Digest): Promise<Revision | null> {
    return (await this.#read()).byDigest.get(digest) ?? null
  }

  async findCommit(commit: CommitSha): Promise<Revision | null> {
    return (await this.#read()).byCommit.get(commit) ?? null
  }

  #read(): Promise<DroppedReading> {
    return this.#questions.run(async () => {
      const tips = await listDropped(this.#options.store)
      if (!this.#isStill(tips)) this.#reading = await readDropped(tips, this.#options)
      return this.#reading
    })
  }

  #isStill(tips: readonly CommitSha[]): boolean {
    const { tips: read, ends } = this.#reading
    const isSame = tips.length === read.length && tips.every((tip, n) => tip === read[n])
    return isSame && [...ends].every(this.#options.isOnBranch)
  }
}

/** Reads back from the tips to the branch. Missing commits lie behind an archive. */
async function readDropped(
  tips: readonly CommitSha[],
  options: DroppedRevisionsOptions,
): Promise<DroppedReading> {
  const [ends, seen] = [new Set<CommitSha>(), new Set<CommitSha>()]
  const revisions: Revision[] = []
  const waiting = [...tips]
  for (let sha = waiting.pop(); sha !== undefined; sha = waiting.pop()) {
    if (seen.has(sha)) continue
    seen.add(sha)
    if (options.isOnBranch(sha)) {
      ends.add(sha)
      continue
    }
    const commit = await options.reader.findCommit(sha)
    const revision = commit && (await revisionOf(commit, options))
    if (revision !== null) revisions.push(revision)
    waiting.push(...(commit?.parents ?? []))
  }
  const oldestFirst = revisions.toSorted((one, other) => one.time - other.time)
  return {
    tips,
    ends,
    byCommit: new Map(revisions.map((revision) => [revision.commit, revision])),
    byDigest: new Map(oldestFirst.map((revision) => [revision.digest, revision])),
  }
}
