import type { DocumentChange } from '../../document/entities/change.ts'
import { renderSubject } from '../../document/changes/render-subject.ts'
import { type Comparable, summariseChanges } from '../../document/changes/summarise-changes.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import { type Digest, digestOf } from '../../core/digest.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import { commonBytes } from '../../diff/common-ends.ts'
import type { DocumentCache } from '../current/document-cache.ts'

/** Larger documents are not parsed for the subject alone. */
const LARGEST = 4 * 1_048_576
/** Bytes between the common ends of two documents above which a save does not wait for a summary. */
const MOST_CHANGED = 2 * 1_048_576

/** The last comparison. It keeps no document in memory, because large ones take much of it. */
interface Compared {
  readonly before: WeakRef<Comparable> | null
  readonly after: WeakRef<Comparable>
  readonly changes: readonly DocumentChange[]
}

/** Describes the differences between two documents. Documents in the cache are not parsed again. */
export class ChangeSummary {
  readonly #cache: Pick<DocumentCache, 'find'>
  #last: Compared | null = null

  constructor(cache: Pick<DocumentCache, 'find'>) {
    this.#cache = cache
  }

  /** Every change, computed cooperatively. */
  async changes(before: Uint8Array | null, after: Uint8Array): Promise<readonly DocumentChange[]> {
    if (before !== null && Buffer.compare(before, after) === 0) return []
    const older = before && (await this.read(before))
    return this.compare(older, await this.read(after))
  }

  /**
   * Compares two read documents. The last result is cached, because a pair is compared several
   * times in a row: for its commit, then for the index.
   */
  async compare(before: Comparable | null, after: Comparable): Promise<readonly DocumentChange[]> {
    const cached = this.#cached(before, after)
    return (
      cached ?? this.#keep(before, after, await runCooperatively(summariseChanges(before, after)))
    )
  }

  /** The changes as the subject of a commit; a general subject when that would delay the save. */
  readonly subject = async (before: Uint8Array | null, after: Uint8Array): Promise<string> => {
    const isQuick = [before, after].every(
      (document) => document === null || this.#isQuick(document),
    )
    const isCheap = isQuick && (before === null || changedBytes(before, after) <= MOST_CHANGED)
    return isCheap ? renderSubject(await this.changes(before, after)) : 'Change the configuration'
  }

  /** Reads a document as far as a comparison requires, cooperatively. */
  async read(document: Uint8Array): Promise<Comparable> {
    return this.find(digestOf(document)) ?? runCooperatively(readXml(document))
  }

  /** A recently read document of that digest, or null. */
  find(digest: Digest): Comparable | null {
    return this.#cache.find(digest)
  }

  #cached(before: Comparable | null, after: Comparable): readonly DocumentChange[] | null {
    const last = this.#last
    if (last === null || last.after.deref() !== after) return null
    const isSame = before === null ? last.before === null : last.before?.deref() === before
    return isSame ? last.changes : null
  }

  #keep(
    before: Comparable | null,
    after: Comparable,
    changes: readonly DocumentChange[],
  ): readonly DocumentChange[] {
    this.#last = { before: before && new WeakRef(before), after: new WeakRef(after), changes }
    return changes
  }

  #isQuick(document: Uint8Array): boolean {
    return document.length <= LARGEST || this.find(digestOf(document)) !== null
  }
}

function changedBytes(before: Uint8Array, after: Uint8Array): number {
  const { prefix, suffix } = commonBytes(before, after)
  return Math.max(before.length, after.length) - prefix - suffix
}
