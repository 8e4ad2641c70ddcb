import { LRUCache } from 'lru-cache'
import { digestOf } from '../../core/digest.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import type { ComparisonDeps, DocumentComparison, DocumentPair } from '../code/comparison.ts'
import { PLAIN } from '../code/plain-options.ts'

/** The most comparisons of large documents that are kept. */
const RETAINED_COMPARISONS = 8

/** The last comparisons of large documents, by their digests: a proposal is looked at again and again. */
export class KeptComparisons {
  readonly #kept = new LRUCache<string, DocumentComparison>({ max: RETAINED_COMPARISONS })

  /** Compares two documents, with the changes in words where they are known. */
  async compare(
    deps: Pick<ComparisonDeps, 'compareTextFirst'>,
    documents: DocumentPair,
    changes: readonly DocumentChange[] | null,
  ): Promise<DocumentComparison> {
    const key = documents.map(digestOf).join(' ')
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const known = changes && JSON.stringify(changes)
    const { isLarge, describe, ...text } = await deps.compareTextFirst(documents, {
      ...PLAIN,
      known,
    })
    const comparison = { ...text, changes: await describe() }
    if (isLarge) this.#kept.set(key, comparison)
    return comparison
  }
}
