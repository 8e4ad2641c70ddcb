import { entitiesOf } from '../../config/changes/entities-of.ts'
import { renderChange } from '../../config/changes/render-change.ts'
import type { Clock } from '../../core/clock.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import type { EditScript } from '../../diff/edit-script.ts'
import { countLines } from '../../diff/hunks.ts'
import type { History } from '../../history/history.ts'
import { textLinesOf } from './compare/text-lines.ts'
import { type Change, summarise } from './summary.ts'

export type { Change } from './summary.ts'
export { wholeEntityWord } from '../../config/changes/entities.ts'

/** What a revision did to the one before it. */
export interface RevisionDetails {
  /** Null where too much differs to be told. */
  readonly changes: readonly Change[] | null
  readonly lines: { readonly added: number; readonly removed: number }
}

export interface RevisionDetailsDeps {
  readonly history: History
  readonly clock: Clock
  readonly script: (before: Uint8Array, after: Uint8Array) => Promise<EditScript>
}

const KEPT = 20_000
const NOTHING = new Uint8Array()

/**
 * What each revision changed, found out once and kept. A revision never changes, but the one before
 * it does when the history is rewritten, so both commits are the key.
 */
export class RevisionDetailsCache {
  readonly #deps: RevisionDetailsDeps
  readonly #kept = new Map<string, RevisionDetails>()
  readonly #documents = new Map<CommitSha, Uint8Array>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(deps: RevisionDetailsDeps) {
    this.#deps = deps
  }

  /** What is known of a revision already. */
  find(revision: Revision): RevisionDetails | null {
    const before = this.#before(revision)
    return this.#kept.get(keyOf(before, revision)) ?? null
  }

  /** Everything that is said about what a revision changed, as far as it is known. */
  textOf(revision: Revision): string {
    const changes = this.find(revision)?.changes ?? []
    return changes.map((change) => `${change.label} ${renderChange(change)}`).join('\n')
  }

  touches(revision: Revision, entity: string): boolean {
    return entitiesOf(this.find(revision)?.changes ?? []).includes(entity)
  }

  /** Finds out about the revisions, one after the other, for so many milliseconds at most. */
  async learn(revisions: readonly Revision[], budget: number): Promise<void> {
    const unknown = revisions.filter((revision) => this.find(revision) === null)
    if (unknown.length === 0) return
    const learning = this.#last.then(() => this.#learnFor(unknown, budget))
    this.#last = learning.catch(() => null)
    await learning
  }

  async #learnFor(revisions: readonly Revision[], budget: number): Promise<void> {
    const end = this.#deps.clock() + budget
    for (const revision of revisions) {
      if (this.#deps.clock() > end) return
      if (this.find(revision) === null) await this.#learnOne(revision)
    }
  }

  async #learnOne(revision: Revision): Promise<void> {
    const previous = this.#before(revision)
    const after = await this.#read(revision)
    const before = previous ? await this.#read(previous) : NOTHING
    const script = await this.#deps.script(before, after)
    const texts = {
      before: textLinesOf(before, script.before.count),
      after: textLinesOf(after, script.after.count),
    }
    const changes = summarise(script, texts)
    this.#keep(keyOf(previous, revision), { changes, lines: countLines(script) })
  }

  async #read(revision: Revision): Promise<Uint8Array> {
    const known = this.#documents.get(revision.commit)
    if (known) return known
    const bytes = await this.#deps.history.readDocument(revision)
    this.#documents.set(revision.commit, bytes)
    const [oldest] = this.#documents.keys()
    if (this.#documents.size > 2 && oldest !== undefined) this.#documents.delete(oldest)
    return bytes
  }

  #keep(key: string, details: RevisionDetails): void {
    this.#kept.set(key, details)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }

  #before(revision: Revision): Revision | null {
    const { history } = this.#deps
    const number = history.numberOf(revision) ?? 1
    return history.list({ offset: history.size() - number + 1, limit: 1 })[0] ?? null
  }
}

function keyOf(before: Revision | null, after: Revision): string {
  return `${before?.commit ?? ''}..${after.commit}`
}
