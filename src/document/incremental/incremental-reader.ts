import { runCooperatively } from '../../lib/cooperative.ts'
import type { ConfigDocument } from '../document.ts'
import type { KnownMembers } from './known-members.ts'
import { ElementNumbers } from './element-numbers.ts'
import { SkeletonStore } from './skeleton-store.ts'
import { MemberFinder } from './member-finder.ts'
import { MemberStores } from './member-stores.ts'
import { readMembers } from './read-members.ts'

/**
 * Reads documents as `readDocument` does, with the same answers, but most of them in a fraction of
 * the time: a pipeline, template or agent that was in an earlier document is not read again.
 *
 * Each of these members is read separately, and so is the skeleton: the rest of the document, with
 * an empty element in the place of each member. If all of them and their combination are valid, the
 * document is valid. Otherwise `readDocument` has to read it as a whole, to report the faults.
 */
export class IncrementalReader {
  readonly #cache = {
    finder: new MemberFinder(),
    skeletons: new SkeletonStore(),
    stores: new MemberStores(),
    numbers: new ElementNumbers(),
  }

  /**
   * Reads a valid document cooperatively. Null when it is not valid, or has a piece too large for
   * one step. Where its members are known from a reading that found it valid, it is not checked again.
   */
  read(
    bytes: Uint8Array<ArrayBuffer>,
    known: KnownMembers | null = null,
  ): Promise<ConfigDocument | null> {
    return runCooperatively(readMembers(bytes, this.#cache, known))
  }
}
