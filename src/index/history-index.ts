import type { NumberSpan } from '../history/history.ts'
import { EntityIndex } from './entity-index.ts'
import { HistoryWalker, type HistoryWalkerDeps } from './history-walker.ts'
import { IndexDatabase } from './database/index-database.ts'
import { IndexTables } from './tables/index-tables.ts'
import { LineOriginsIndex } from './line-origins-index.ts'
import { RevisionDetails } from './revision-details.ts'
import { TextIndex } from './text-index.ts'

export interface HistoryIndexOptions extends HistoryWalkerDeps {
  readonly file: string
}

/** Raise this when what is stored of a revision changes, or the examination of revisions does. */
const FORMAT = 'cairn index 5'

/** The first revision of each part of a history is indexed as one that came upon nothing. */
export function indexFormat(parts: readonly Pick<NumberSpan, 'first'>[]): string {
  return [FORMAT, ...parts.map(({ first }) => first)].join(' ')
}

/**
 * The data derived from the revisions of a history: their changes, by entity and as text, and the
 * revision that wrote each line. One file, which may be deleted at any time, is filled by one walk
 * over the history; until that is done, answers are about what was walked, newest revisions first.
 */
export class HistoryIndex implements AsyncDisposable {
  readonly entities: EntityIndex
  readonly texts: TextIndex
  readonly origins: LineOriginsIndex
  readonly details: RevisionDetails
  readonly #database: IndexDatabase
  readonly #walker: HistoryWalker

  constructor(options: HistoryIndexOptions) {
    const { history, file, log } = options
    this.#database = new IndexDatabase({
      file,
      format: indexFormat(history.parts()),
      tables: IndexTables.statements,
      log,
    })
    const tables = new IndexTables(this.#database)
    const walker = new HistoryWalker(options, this.#database, tables)
    const shared = { ...options, walker, tables, database: this.#database }
    this.#walker = walker
    this.entities = new EntityIndex(shared)
    this.texts = new TextIndex(shared)
    this.origins = new LineOriginsIndex(shared)
    this.details = new RevisionDetails(shared)
  }

  /** Begins to index; otherwise the first question does. */
  begin(): void {
    this.#walker.begin()
    this.origins.begin()
  }

  /** Resolves when every revision is indexed, or could not be. */
  settle(): Promise<void> {
    return this.#walker.settle()
  }

  /** Stops indexing; the rest is indexed at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#walker[Symbol.asyncDispose](), this.origins[Symbol.asyncDispose]()])
    await this.#database[Symbol.asyncDispose]()
  }
}
