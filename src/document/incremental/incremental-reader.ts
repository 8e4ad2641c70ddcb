import { runCooperatively } from '../../lib/cooperative.ts'
import type { ConfigDocument } from '../document.ts'
import { SkeletonStore } from './skeleton-store.ts'
import { MemberStores } from './member-stores.ts'
import { readMembers } from './read-members.ts'

/**
 * Reads documents as `readDocument` does, with the same answers, but most of them in a fraction of
 * the time: a pipeline, template or agent that stood in a document before is not read again.
 *
 * Each of these members is read on its own, and so is what is left of the document, with an empty
 * element in the place of each. Where nothing is wrong with any of them and with the whole that
 * they make, the document is valid. Else it has to be read as a whole, which says what is wrong.
 */
export class IncrementalReader {
  readonly #cache = { skeletons: new SkeletonStore(), stores: new MemberStores() }

  /**
   * A document that is valid, read in short turns so that nobody waits long. Null for one that is
   * not, or that has a piece too large for a turn: those are for others to read.
   */
  read(bytes: Uint8Array): Promise<ConfigDocument | null> {
    return runCooperatively(readMembers(bytes, this.#cache))
  }
}
