import { LRUCache } from 'lru-cache'
import type { Digest } from '../core/digest.ts'
import { ServiceError } from '../core/errors.ts'
import type { Revision } from '../core/revision.ts'
import type { History } from '../history/history.ts'
import { Turns } from '../lib/cooperative.ts'
import { SearchedText } from './tables/changed-text.ts'
import type { IndexTables } from './tables/index-tables.ts'
import type { TextRow } from './tables/text-table.ts'

export interface TextIndexDeps {
  readonly history: History
  readonly tables: IndexTables
  /** A document that is in memory, as readers may see it; null for others. */
  readonly findRead?: (digest: Digest) => Uint8Array | null
}

/** The revisions whose changed text is read at once. */
const AT_ONCE = 200
/** The number of items that are read first, because many callers need no more. */
const FIRST = 20

/**
 * Finds the indexed revisions that changed how often a text occurs in the configuration, as `git log
 * -S` does: a merge changes nothing itself. A search reads the changed text of those that may have it
 * and no documents, unless the text spans lines.
 */
export class TextIndex {
  readonly #deps: TextIndexDeps

  constructor(deps: TextIndexDeps) {
    this.#deps = deps
  }

  /** A search for a text, which has to have a character. */
  search(text: string): TextSearch {
    return new TextSearch(this.#deps, text)
  }
}

export class TextSearch {
  readonly #deps: TextIndexDeps
  readonly #text: string
  readonly #searched: SearchedText
  readonly #documents = new LRUCache<Digest, Uint8Array>({ max: 2 })

  constructor(deps: TextIndexDeps, text: string) {
    this.#deps = deps
    this.#text = text
    this.#searched = new SearchedText(text)
  }

  /** The revisions that changed how often it occurs, newest first, some at a time. */
  async *revisions(): AsyncGenerator<readonly Revision[], void> {
    const { texts } = this.#deps.tables
    const query = texts.queryFor(this.#text)
    const turns = new Turns()
    for (let [below, limit] = [Number.MAX_SAFE_INTEGER, FIRST]; ; limit = AT_ONCE) {
      const rows = texts.newest(query, below, limit)
      const found: Revision[] = []
      for (const row of rows) {
        const revision = await this.#effectiveOf(row)
        if (revision !== null) found.push(revision)
        if (turns.isOver) await turns.next()
      }
      yield found
      const last = rows.at(-1)
      if (last === undefined || rows.length < limit) return
      below = last.number
    }
  }

  /** Whether a revision changed how often it occurs; false while it is not indexed. */
  async isChangedBy(revision: Revision): Promise<boolean> {
    const { history, tables } = this.#deps
    const row = tables.texts.find(history.numberOf(revision) ?? 0)
    return row !== null && (await this.#effectiveOf(row))?.commit === revision.commit
  }

  /** The revision of a row that changed how often the text occurs; null for another one. */
  async #effectiveOf({ number, places }: TextRow): Promise<Revision | null> {
    const effect = this.#searched.effectOf(places)
    if (effect === 'none') return null
    const { history, tables } = this.#deps
    const revision = history.at(number)
    if (revision === null || !tables.revisions.isAt(number, revision)) return null
    return effect === 'changed' || (await this.#isChanged(revision)) ? revision : null
  }

  /** Whether the documents have it more or less often; not where they can no longer be read. */
  async #isChanged(revision: Revision): Promise<boolean> {
    try {
      const before = this.#deps.history.previousOf(revision)
      const older = before === null ? 0 : this.#searched.countIn(await this.#read(before))
      return this.#searched.countIn(await this.#read(revision)) !== older
    } catch (error) {
      if (error instanceof ServiceError) return false
      throw error
    }
  }

  async #read(revision: Revision): Promise<Uint8Array> {
    const { history, findRead } = this.#deps
    const cached = this.#documents.get(revision.digest) ?? findRead?.(revision.digest)
    const document = cached ?? (await history.readDocument(revision))
    this.#documents.set(revision.digest, document)
    return document
  }
}
