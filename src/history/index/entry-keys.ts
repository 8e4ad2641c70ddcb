import type { Digest } from '../../core/digest.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { IndexEntry } from './revision-index.ts'

const COMMIT_LENGTH = 40
const DIGEST_LENGTH = 32
const DIGEST_AT = COMMIT_LENGTH + 1
/** The commit, whether its history is closed, the digest. */
export const KEY_LENGTH = DIGEST_AT + DIGEST_LENGTH
const CLOSED = '+'
const OPEN = '-'
const NO_DIGEST = '-'.repeat(DIGEST_LENGTH)

/** The key of an entry, as text of fixed length. */
export function keyOf({ commit, isClosed, digest }: Omit<IndexEntry, 'revision'>): string {
  return `${commit}${isClosed ? CLOSED : OPEN}${digest ?? NO_DIGEST}`
}

/** The keys of many entries as bytes, so that a start need not parse them. */
export class EntryKeys {
  #bytes = Buffer.alloc(KEY_LENGTH)
  #length = 0

  get length(): number {
    return this.#length
  }

  append(keys: Buffer): void {
    const end = this.#length * KEY_LENGTH
    if (end + keys.length > this.#bytes.length) {
      const larger = Buffer.alloc(2 * (end + keys.length))
      this.#bytes.copy(larger, 0, 0, end)
      this.#bytes = larger
    }
    keys.copy(this.#bytes, end)
    this.#length += keys.length / KEY_LENGTH
  }

  commitAt(place: number): CommitSha {
    const name = this.#textAt(place * KEY_LENGTH, COMMIT_LENGTH)
    if (isCommit(name)) return name
    throw new RangeError(`There is no entry ${place}`)
  }

  isClosedAt(place: number): boolean {
    return this.#textAt(place * KEY_LENGTH + COMMIT_LENGTH, 1) === CLOSED
  }

  hasDigestAt(place: number): boolean {
    return this.#bytes[place * KEY_LENGTH + DIGEST_AT] !== NO_DIGEST.charCodeAt(0)
  }

  digestAt(place: number): Digest | null {
    const name = this.#textAt(place * KEY_LENGTH + DIGEST_AT, DIGEST_LENGTH)
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
