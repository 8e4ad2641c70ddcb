import { LRUCache } from 'lru-cache'
import type { DocumentChange } from '../entities/change.ts'
import type { EntityRenames } from '../compare/compare-entities.ts'
import { entitiesOf } from './entities-of.ts'
import { renderSubject } from './render-subject.ts'
import { type Comparable, summariseChanges } from './summarise-changes.ts'
import { readXml } from '../xml/xml-reader.ts'
import { type Digest, digestOf } from '../../core/digest.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import { commonBytes } from '../../lib/common-bytes.ts'

/** Larger documents are not parsed for the subject alone. */
const MAX_QUICK = 4 * 1_048_576
/** Bytes between the common ends of two documents above which a save does not wait for a summary. */
const MAX_CHANGED = 2 * 1_048_576

/** The most comparisons that are cached: those of a group of saves, and of the group before it. */
const CACHED = 64
/** Characters of the documents that they may keep in memory. */
const CACHED_CHARACTERS = 16 * 1_048_576

/** The words of a commit about its changes. */
interface DescribedCommit {
  readonly subject: string
  /** Absent with a general subject. */
  readonly entities?: readonly string[]
}

/** A document of a comparison, read when that is not known yet. */
export interface ComparedDocument {
  readonly digest: Digest
  readonly read: () => Promise<Comparable>
}

/** Documents that were parsed already, by digest. */
export interface ParsedDocuments {
  find(digest: Digest): Comparable | null
}

/** Describes the differences between two documents. Documents in the cache are not parsed again. */
export class ChangeSummary {
  readonly #cache: ParsedDocuments
  readonly #results = new LRUCache<string, readonly DocumentChange[]>({
    max: CACHED,
    maxSize: CACHED_CHARACTERS,
  })

  constructor(cache: ParsedDocuments) {
    this.#cache = cache
  }

  /** Every change, computed cooperatively. */
  async changes(
    before: Uint8Array | null,
    after: Uint8Array,
    renames?: EntityRenames,
  ): Promise<readonly DocumentChange[]> {
    if (before !== null && Buffer.compare(before, after) === 0) return []
    return this.compare(before && this.#compared(before), this.#compared(after), renames)
  }

  /**
   * Compares two documents, cooperatively. The last results are cached, because a pair is compared
   * several times: for its commit, then for the index.
   */
  async compare(
    before: ComparedDocument | null,
    after: ComparedDocument,
    renames: EntityRenames = [],
  ): Promise<readonly DocumentChange[]> {
    const pair = pairOf(before?.digest ?? null, after.digest, renames)
    const cached = this.#results.get(pair)
    if (cached) return cached
    const [older, newer] = [before && (await before.read()), await after.read()]
    const changes = await runCooperatively(summariseChanges(older, newer, renames))
    this.#results.set(pair, changes, { size: sizeOf(newer) })
    return changes
  }

  /** The result of a recent comparison of two documents, or null; null for no document before. */
  known(before: Digest | null, after: Digest): readonly DocumentChange[] | null {
    return this.#results.get(pairOf(before, after, [])) ?? null
  }

  /** The changes as the subject of a commit, with the entities; a general subject when that would delay the save. */
  readonly describe = async (
    before: Uint8Array | null,
    after: Uint8Array,
  ): Promise<DescribedCommit> => {
    const isQuick = [before, after].every(
      (document) => document === null || this.#isQuick(document),
    )
    const isCheap = isQuick && (before === null || changedBytes(before, after) <= MAX_CHANGED)
    if (!isCheap) return { subject: 'Change the configuration' }
    const changes = await this.changes(before, after)
    return { subject: renderSubject(changes), entities: entitiesOf(changes) }
  }

  /** Reads a document as far as a comparison requires, cooperatively. */
  async read(document: Uint8Array): Promise<Comparable> {
    return this.find(digestOf(document)) ?? runCooperatively(readXml(document))
  }

  /** A recently read document of that digest, or null. */
  find(digest: Digest): Comparable | null {
    return this.#cache.find(digest)
  }

  #compared(document: Uint8Array): ComparedDocument {
    return { digest: digestOf(document), read: () => this.read(document) }
  }

  #isQuick(document: Uint8Array): boolean {
    return document.length <= MAX_QUICK || this.find(digestOf(document)) !== null
  }
}

function pairOf(before: Digest | null, after: Digest, renames: EntityRenames): string {
  return [before ?? '', after, ...renames.flat()].join('\n')
}

function changedBytes(before: Uint8Array, after: Uint8Array): number {
  const { prefix, suffix } = commonBytes(before, after)
  return Math.max(before.length, after.length) - prefix - suffix
}

/** The values of a change can keep all of the text that they are a part of. */
function sizeOf(document: Comparable): number {
  return 'source' in document ? Math.min(document.source.length + 1, CACHED_CHARACTERS) : 1
}
