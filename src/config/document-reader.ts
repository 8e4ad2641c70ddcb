import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ConfigDocument, type DocumentReading, readDocument } from './document.ts'
import { FrameStore } from './members/frame-store.ts'
import { MemberStores } from './members/member-stores.ts'
import { readMembers } from './members/read-members.ts'

/** Milliseconds after which others get their turn. */
const TURN = 10

/**
 * Reads documents as `readDocument` does, with the same answers, but most of them in a fraction of
 * the time: a pipeline, template or agent that stood in a document before is not read again.
 *
 * Each of these members is read on its own, and so is what is left of the document, with an empty
 * element in the place of each. Where nothing is wrong with any of them and with the whole that
 * they make, the document is valid. Else it is read as a whole, which says what is wrong.
 */
export class DocumentReader {
  readonly #known = { frames: new FrameStore(), stores: new MemberStores() }

  read(bytes: Uint8Array): DocumentReading {
    const steps = readMembers(bytes, this.#known)
    let step = steps.next()
    while (!step.done) step = steps.next()
    return step.value ? { ok: true, document: step.value } : readDocument(bytes)
  }

  /**
   * A document that is valid, read in short turns so that nobody waits long; null for one that is
   * not. What is wrong with it is for others to find out.
   */
  async readInTurns(bytes: Uint8Array): Promise<ConfigDocument | null> {
    const steps = readMembers(bytes, this.#known)
    let step = steps.next()
    for (let end = performance.now() + TURN; !step.done; step = steps.next()) {
      if (performance.now() < end) continue
      await nextTurn()
      end = performance.now() + TURN
    }
    return step.value
  }
}
