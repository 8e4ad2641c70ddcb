import type { DocumentChange } from '../../document/entities/change.ts'
import { renderSubject } from '../../document/changes/render-subject.ts'
import { type Comparable, summariseInSteps } from '../../document/changes/summarise-changes.ts'
import { readXmlInSteps } from '../../document/xml/xml-reader.ts'
import { type Digest, digestOf } from '../../core/digest.ts'
import { inTurns } from '../../lib/in-turns.ts'
import { commonBytes } from '../../diff/common-ends.ts'
import type { DocumentCache } from '../current/document-cache.ts'

/** A document that has to be read for its subject alone is not summarised when it is larger. */
const LARGEST = 4 * 1_048_576
/** Bytes between the common ends of two documents above which nobody waits for a summary. */
const MOST_CHANGED = 2 * 1_048_576

interface Compared {
  readonly before: Comparable | null
  readonly after: Comparable
  readonly changes: readonly DocumentChange[]
}

/** Tells what is otherwise in one document than in another. What was read already is not read again. */
export class ChangeSummary {
  readonly #cache: Pick<DocumentCache, 'find'>
  #last: Compared | null = null

  constructor(cache: Pick<DocumentCache, 'find'>) {
    this.#cache = cache
  }

  /** Every change, as `summariseChanges` tells it, worked out in short turns. */
  async changes(before: Uint8Array | null, after: Uint8Array): Promise<readonly DocumentChange[]> {
    if (before !== null && Buffer.compare(before, after) === 0) return []
    const older = before && (await this.readInTurns(before))
    return this.compareInTurns(older, await this.readInTurns(after))
  }

  /** The same. A pair is asked for several times in a row: for its commit, and to tell of it. */
  async compareInTurns(
    before: Comparable | null,
    after: Comparable,
  ): Promise<readonly DocumentChange[]> {
    const known = this.#known(before, after)
    return known ?? this.#keep(before, after, await inTurns(summariseInSteps(before, after)))
  }

  /** The changes as the subject of a commit, which no save shall wait for. */
  readonly subject = async (before: Uint8Array | null, after: Uint8Array): Promise<string> => {
    const isQuick = [before, after].every(
      (document) => document === null || this.#isQuick(document),
    )
    const mayBeTold = isQuick && (before === null || changedBytes(before, after) <= MOST_CHANGED)
    return mayBeTold ? renderSubject(await this.changes(before, after)) : 'Change the configuration'
  }

  /** Reads a document as far as it has to be read to be compared, in short turns. */
  async readInTurns(document: Uint8Array): Promise<Comparable> {
    return this.find(digestOf(document)) ?? inTurns(readXmlInSteps(document))
  }

  /** A document of that digest, if it was read lately. */
  find(digest: Digest): Comparable | null {
    return this.#cache.find(digest)
  }

  #known(before: Comparable | null, after: Comparable): readonly DocumentChange[] | null {
    return this.#last?.before === before && this.#last.after === after ? this.#last.changes : null
  }

  #keep(
    before: Comparable | null,
    after: Comparable,
    changes: readonly DocumentChange[],
  ): readonly DocumentChange[] {
    this.#last = { before, after, changes }
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
