import type { Digest } from '../../core/digest.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { IndexEntry } from './revision-index.ts'

const DIGEST_LENGTH = 32
/** Whether its history is closed, and the digest: what follows the commit. */
const REST_LENGTH = 1 + DIGEST_LENGTH
const CLOSED = '+'
const OPEN = '-'
const SIGNS = Buffer.from(CLOSED + OPEN)
const NO_DIGEST = '-'.repeat(DIGEST_LENGTH)

/** The key of an entry, as text that is as long for every commit of one repository. */
export function keyOf({ commit, isClosed, digest }: Omit<IndexEntry, 'revision'>): string {
  return `${commit}${isClosed ? CLOSED : OPEN}${digest ?? NO_DIGEST}`
}

/** How many bytes each of some keys has: the first sign that is no digit ends the commit of the first. */
export function keyLengthIn(keys: Buffer): number {
  return keys.findIndex((byte) => SIGNS.includes(byte)) + REST_LENGTH
}

/** The keys of many entries as bytes, so that a start need not parse them. */
export class EntryKeys {
  #bytes = Buffer.alloc(0)
  #length = 0
  #keyLength = 0

  get length(): number {
    return this.#length
  }

  append(keys: Buffer): void {
    if (keys.length === 0) return
    this.#keyLength = keyLengthIn(keys)
    const end = this.#length * this.#keyLength
    if (end + keys.length > this.#bytes.length) {
      const larger = Buffer.alloc(2 * (end + keys.length))
      this.#bytes.copy(larger, 0, 0, end)
      this.#bytes = larger
    }
    keys.copy(this.#bytes, end)
    this.#length += keys.length / this.#keyLength
  }

  commitAt(place: number): CommitSha {
    const length = this.#keyLength - REST_LENGTH
    const name = this.#textAt(place * this.#keyLength, length)
    if (isCommit(name, length)) return name
    throw new RangeError(`There is no entry ${place}`)
  }

  isClosedAt(place: number): boolean {
    return this.#textAt(this.#digestAt(place) - 1, 1) === CLOSED
  }

  hasDigestAt(place: number): boolean {
    return this.#bytes[this.#digestAt(place)] !== NO_DIGEST.charCodeAt(0)
  }

  digestAt(place: number): Digest | null {
    const name = this.#textAt(this.#digestAt(place), DIGEST_LENGTH)
    return this.hasDigestAt(place) && isDigest(name) ? name : null
  }

  #digestAt(place: number): number {
    return (place + 1) * this.#keyLength - DIGEST_LENGTH
  }

  #textAt(start: number, length: number): string {
    return this.#bytes.toString('latin1', start, start + length)
  }
}

function isCommit(name: string, length: number): name is CommitSha {
  return name !== '' && name.length === length
}

function isDigest(name: string): name is Digest {
  return name.length === DIGEST_LENGTH
}
