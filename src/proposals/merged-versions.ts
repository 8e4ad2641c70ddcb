import { LRUCache } from 'lru-cache'
import type { Digest } from '../core/digest.ts'
import type { CommitSha } from '../core/revision.ts'

/** The most documents that are kept, and their bytes in all. */
const RETAINED_DOCUMENTS = 200
const RETAINED_BYTES = 32 * 2 ** 20

/**
 * The last documents that versions of proposals made of others. Neither changes, so that a merge of a large
 * document is computed once, however often its proposal is looked at.
 */
export class MergedVersions {
  readonly #kept = new LRUCache<string, Uint8Array<ArrayBuffer>>({
    max: RETAINED_DOCUMENTS,
    maxSize: RETAINED_BYTES,
  })

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
