import { LRUCache } from 'lru-cache'
import type { GateChange } from '../configuration/gate/rules/question.ts'
import type { Digest } from '../core/digest.ts'
import type { CommitSha } from '../core/revision.ts'

/** The most documents that are kept, and their bytes in all. */
const RETAINED_DOCUMENTS = 200
const RETAINED_BYTES = 32 * 2 ** 20
/** The most places in changed entities that are kept. */
const RETAINED_PLACES = 100_000

/** The change that a version makes of the revision that it was made from, as rules see it. */
export interface WrittenChange {
  readonly change: GateChange
  /** Whether each who administers all of its groups might make it, as far as that is known. */
  readonly isForAllOwners: boolean
}

/**
 * The last documents that versions of proposals made of others, and what versions change of the revisions that they
 * were made from. None of these changes, so that each is computed once, however often its proposal is looked at.
 */
export class MergedVersions {
  readonly #kept = new LRUCache<string, Uint8Array<ArrayBuffer>>({
    max: RETAINED_DOCUMENTS,
    maxSize: RETAINED_BYTES,
  })

  readonly #changes = new LRUCache<CommitSha, WrittenChange>({
    maxSize: RETAINED_PLACES,
    sizeCalculation: ({ change: { entities } }) =>
      entities.reduce((sum, { places }) => sum + places.length, 1),
  })

  findChange(version: CommitSha): WrittenChange | null {
    return this.#changes.get(version) ?? null
  }

  keepChange(version: CommitSha, change: WrittenChange): void {
    this.#changes.set(version, change)
  }

  find(version: CommitSha, upon: Digest): Uint8Array<ArrayBuffer> | null {
    return this.#kept.get(keyOf(version, upon)) ?? null
  }

  keep(version: CommitSha, upon: Digest, document: Uint8Array<ArrayBuffer>): void {
    this.#kept.set(keyOf(version, upon), document, { size: Math.max(document.length, 1) })
  }
}

function keyOf(version: CommitSha, upon: Digest): string {
  return `${version} ${upon}`
}
