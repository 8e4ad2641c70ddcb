import type { Digest } from '../../core/digest.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { IndexEntry } from './revision-index.ts'

const COMMIT_LENGTH = 40
const DIGEST_LENGTH = 32
const DIGEST_AT = COMMIT_LENGTH + 1
/** The commit, whether it is a cut, the digest. */
export const HEAD_LENGTH = DIGEST_AT + DIGEST_LENGTH
const CUT = '+'
const NO_CUT = '-'
const NO_DIGEST = '-'.repeat(DIGEST_LENGTH)

/** What an entry is found by, as text of one length. */
export function headOf({ commit, isCut, digest }: Omit<IndexEntry, 'revision'>): string {
  return `${commit}${isCut ? CUT : NO_CUT}${digest ?? NO_DIGEST}`
}

/** The heads of many entries as bytes, so that a start has nothing to make of them. */
export class EntryHeads {
  #bytes = Buffer.alloc(HEAD_LENGTH)
  #length = 0

  get length(): number {
    return this.#length
  }

  append(heads: Buffer): void {
    const end = this.#length * HEAD_LENGTH
    if (end + heads.length > this.#bytes.length) {
      const larger = Buffer.alloc(2 * (end + heads.length))
      this.#bytes.copy(larger, 0, 0, end)
      this.#bytes = larger
    }
    heads.copy(this.#bytes, end)
    this.#length += heads.length / HEAD_LENGTH
  }

  commitAt(place: number): CommitSha {
    const name = this.#textAt(place * HEAD_LENGTH, COMMIT_LENGTH)
    if (isCommit(name)) return name
    throw new RangeError(`There is no entry ${place}`)
  }

  isCutAt(place: number): boolean {
    return this.#textAt(place * HEAD_LENGTH + COMMIT_LENGTH, 1) === CUT
  }

  hasDigestAt(place: number): boolean {
    return this.#bytes[place * HEAD_LENGTH + DIGEST_AT] !== NO_DIGEST.charCodeAt(0)
  }

  digestAt(place: number): Digest | null {
    const name = this.#textAt(place * HEAD_LENGTH + DIGEST_AT, DIGEST_LENGTH)
    return this.hasDigestAt(place) && isDigest(name) ? name : null
  }

  #textAt(start: number, length: number): string {
    return this.#bytes.toString('latin1', start, start + length)
  }
}

function isCommit(name: string): name is CommitSha {
  return name.length === COMMIT_LENGTH
}

function isDigest(name: string): name is Digest {
  return name.length === DIGEST_LENGTH
}
