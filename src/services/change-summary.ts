import type { Change } from '../config/changes/change.ts'
import { renderSubject } from '../config/changes/render-subject.ts'
import { type Comparable, summariseChanges } from '../config/changes/summarise-changes.ts'
import { readXml } from '../config/xml-reader.ts'
import { digestOf } from '../core/digest.ts'
import type { DocumentCache } from './document-cache.ts'

/** A document that has to be read for its summary alone is not summarised when it is larger. */
const LARGEST = 4 * 1_048_576

/** Tells what is otherwise in one document than in another. */
export class ChangeSummary {
  readonly #cache: Pick<DocumentCache, 'find'>

  constructor(cache: Pick<DocumentCache, 'find'>) {
    this.#cache = cache
  }

  /** Every change, as `summariseChanges` tells it. */
  changes(before: Uint8Array | null, after: Uint8Array): readonly Change[] {
    if (before !== null && Buffer.compare(before, after) === 0) return []
    return summariseChanges(before && this.#read(before), this.#read(after))
  }

  /** The changes as the subject of a commit, which no save shall wait for. */
  readonly subject = async (before: Uint8Array | null, after: Uint8Array): Promise<string> => {
    const isKnown = [before, after].every(
      (document) => document === null || this.#isQuick(document),
    )
    return isKnown ? renderSubject(this.changes(before, after)) : 'Change the configuration'
  }

  #isQuick(document: Uint8Array): boolean {
    return document.length <= LARGEST || this.#cache.find(digestOf(document)) !== null
  }

  #read(document: Uint8Array): Comparable {
    return this.#cache.find(digestOf(document)) ?? readXml(document)
  }
}
