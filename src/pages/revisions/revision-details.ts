import { LRUCache } from 'lru-cache'
import { Turns } from '../../lib/cooperative.ts'
import type { Clock } from '../../lib/clock.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import type { BothTexts } from '../../diff/common-ends.ts'
import type { EditScript } from '../../diff/edit-script.ts'
import { countLines } from '../../diff/hunks.ts'
import type { History } from '../../history/history.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import { textLinesOf } from '../../document/text/text-lines.ts'
import { summarise } from '../../index/condensed-summary.ts'
import type { DocumentChange } from '../../document/entities/change.ts'

/** The difference between a revision and the one upon which it came. */
export interface RevisionDetails {
  /** A merge has only its own. Null when too much differs to be described, or while unknown. */
  readonly changes: readonly DocumentChange[] | null
  /** Of a merge, those that came to its first parent. Null while unknown. */
  readonly lines: { readonly added: number; readonly removed: number } | null
}

export interface RevisionDetailsDeps {
  readonly history: History
  readonly entities: Pick<EntityIndex, 'find'>
  readonly clock: Clock
  readonly script: (before: Uint8Array, after: Uint8Array) => Promise<EditScript>
}

/** How many revisions and changes are kept. */
const KEPT = 200_000
const NOTHING = new Uint8Array()

/**
 * Computes once what each revision changed, and caches it. The changes of merges are in the index alone.
 */
export class RevisionDetailsCache {
  readonly #deps: RevisionDetailsDeps
  readonly #kept = new LRUCache<string, RevisionDetails>({
    maxSize: KEPT,
    sizeCalculation: ({ changes }) => 10 + (changes?.length ?? 0),
  })
  readonly #documents = new LRUCache<CommitSha, Uint8Array>({ max: 2 })
  #last: Promise<unknown> = Promise.resolve()

  constructor(deps: RevisionDetailsDeps) {
    this.#deps = deps
  }

  /**
   * The known details of a revision: from the index, which is filled in the background, or
   * computed.
   */
  find(revision: Revision): RevisionDetails | null {
    const kept = this.#looked(revision)
    const changes = kept?.changes ?? this.#deps.entities.find(revision)
    return kept === null && changes === null ? null : { changes, lines: kept?.lines ?? null }
  }

  /** Whether the details are complete. */
  isKnown(revision: Revision): boolean {
    return this.#looked(revision) !== null
  }

  /**
   * Computes the details of the revisions, one after the other, for at most so many milliseconds.
   */
  async compute(revisions: readonly Revision[], budget: number): Promise<void> {
    const unknown = revisions.filter((revision) => !this.isKnown(revision))
    if (unknown.length === 0) return
    const learning = this.#last.then(() => this.#learnFor(unknown, budget))
    this.#last = learning.catch(() => null)
    await learning
  }

  async #learnFor(revisions: readonly Revision[], budget: number): Promise<void> {
    const end = this.#deps.clock() + budget
    const turns = new Turns()
    for (const revision of revisions) {
      if (this.#deps.clock() > end) return
      if (this.isKnown(revision)) continue
      await this.#learnOne(revision)
      if (turns.isOver) await turns.next()
    }
  }

  async #learnOne(revision: Revision): Promise<void> {
    const { history, entities } = this.#deps
    const previous = history.previousOf(revision)
    const after = await this.#read(revision)
    const before = previous ? await this.#read(previous) : NOTHING
    const script = await this.#deps.script(before, after)
    const isMerge = history.basesOf(revision).length > 1
    const changes =
      entities.find(revision) ?? (isMerge ? null : summarised(script, { before, after }))
    this.#kept.set(keyOf(previous, revision), { changes, lines: countLines(script) })
  }

  async #read(revision: Revision): Promise<Uint8Array> {
    const known = this.#documents.get(revision.commit)
    if (known) return known
    const bytes = await this.#deps.history.readAsWritten(revision)
    this.#documents.set(revision.commit, bytes)
    return bytes
  }

  #looked(revision: Revision): RevisionDetails | null {
    const previous = this.#deps.history.previousOf(revision)
    return this.#kept.get(keyOf(previous, revision)) ?? null
  }
}

function summarised(
  script: EditScript,
  { before, after }: BothTexts,
): readonly DocumentChange[] | null {
  return summarise(script, {
    before: textLinesOf(before, script.before.count),
    after: textLinesOf(after, script.after.count),
  })
}

function keyOf(before: Revision | null, after: Revision): string {
  return `${before?.commit ?? ''}..${after.commit}`
}
