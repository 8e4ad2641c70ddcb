import { LRUCache } from 'lru-cache'
import type { Revision } from '../core/revision.ts'
import type { History } from '../history/history.ts'
import type { ChangeIndexer } from './change-indexer.ts'
import type { Renames } from './indexed-changes.ts'

/** A revision that changed an entity, with what it renamed. */
export interface EntityEntry {
  readonly number: number
  /** The number of its commit among the indexed ones. */
  readonly commit: number
  readonly renames: Renames
}

/** The indexed revisions that changed an entity under one name, newest first. */
export interface EntriesAbout {
  readonly entries: readonly EntityEntry[]
  /** Those that renamed something: few, so that nobody has to look through all. */
  readonly renaming: readonly EntityEntry[]
}

/** What was found of an entity. */
interface Found extends EntriesAbout {
  /** The newest revision at that time. */
  readonly newest: Revision
  readonly replaced: number
  /** How many of the indexed commits were looked at, and those of them that the history did not have. */
  readonly seen: number
  readonly strange: readonly number[]
}

/** The most entries that are kept: some fifty bytes each. */
const MOST = 500_000

/**
 * The revisions that changed an entity. Those of entities that were asked for lately are kept, and
 * only the revisions that have come since are looked at.
 */
export class EntityEntries {
  readonly #history: History
  readonly #indexer: Pick<ChangeIndexer, 'indexed' | 'isIndexed'>
  readonly #found = new LRUCache<string, Found>({
    maxSize: MOST,
    sizeCalculation: ({ entries, strange }) => 1 + entries.length + strange.length,
  })

  constructor(history: History, indexer: Pick<ChangeIndexer, 'indexed' | 'isIndexed'>) {
    this.#history = history
    this.#indexer = indexer
  }

  /** What is known of an entity, whose name is in folded spelling. */
  about(entity: string): EntriesAbout {
    const kept = this.#found.get(entity)
    const before = kept && this.#isTrue(kept) ? kept : null
    const { indexed } = this.#indexer
    const commits = indexed.about(entity, before?.seen)
    const strange: number[] = []
    const added: EntityEntry[] = []
    for (const commit of [...(before?.strange ?? []), ...commits]) {
      const entry = this.#entryOf(commit)
      if (entry === null) strange.push(commit)
      else added.push(entry)
    }
    const renaming = added.filter(({ renames }) => renames.length > 0)
    const found = {
      entries: newestFirst(before?.entries ?? [], added),
      renaming: newestFirst(before?.renaming ?? [], renaming),
      newest: this.#history.current(),
      replaced: indexed.replaced,
      seen: (before?.seen ?? 0) + commits.length,
      strange,
    }
    this.#found.set(entity, found)
    return found
  }

  /** Whether it is still what the history says of the revisions up to the newest one at that time. */
  #isTrue({ newest, replaced }: Found): boolean {
    return replaced === this.#indexer.indexed.replaced && this.#history.isClosed(newest)
  }

  #entryOf(number: number): EntityEntry | null {
    const { indexed } = this.#indexer
    const commit = indexed.commitOf(number)
    const place = this.#history.numberOf({ commit })
    if (place === null || !this.#indexer.isIndexed({ commit })) return null
    return { number: place, commit: number, renames: indexed.renamesOf(number) }
  }
}

function newestFirst(
  entries: readonly EntityEntry[],
  added: readonly EntityEntry[],
): readonly EntityEntry[] {
  if (added.length === 0) return entries
  const newer = added.toSorted((one, other) => other.number - one.number)
  const isInOrder = (newer.at(-1)?.number ?? 0) > (entries[0]?.number ?? 0)
  const all = newer.concat(entries)
  return isInOrder ? all : all.toSorted((one, other) => other.number - one.number)
}
