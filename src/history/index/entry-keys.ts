import type { Digest } from '../../core/digest.ts'
import type { CommitSha } from '../../core/revision.ts'
import { STORED_SIGNS } from '../../lib/compact/hex-places.ts'
import type { IndexEntry } from './revision-index.ts'

const DIGEST_LENGTH = 32
/** A sign, and the digest: what follows the commit. */
const REST_LENGTH = 1 + DIGEST_LENGTH
/** Entries whose history is closed, and others; in front those that came upon the entry before alone. */
const [CLOSED, OPEN] = ['+*', '-~'] as const
const BRANCHED = [CLOSED[1], OPEN[1]]
const SIGNS = Buffer.from(CLOSED + OPEN)
const [ZERO, LETTERS_FROM] = [48, 97]
const NO_DIGEST = '-'.repeat(DIGEST_LENGTH)

/** The key of an entry, as text that is as long for every commit of one repository. */
export function keyOf({ commit, isClosed, parents, digest }: Omit<IndexEntry, 'revision'>): string {
  const sign = (isClosed ? CLOSED : OPEN)[parents === null ? 0 : 1]
  return `${commit}${sign}${digest ?? NO_DIGEST}`
}

/** The keys of entries as bytes, so that a start need not parse them. */
export class EntryKeys {
  readonly length: number
  readonly #bytes: Buffer
  readonly #keyLength: number

  /** @param bytes the keys of one repository, one after the other. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    // The first sign that is no digit ends the first commit.
    this.#keyLength = bytes.findIndex((byte) => SIGNS.includes(byte)) + REST_LENGTH
    this.length = bytes.length / this.#keyLength
  }

  /** The row of a commit, found in the bytes of all; null where it is not there. */
  rowOf(commit: CommitSha): number | null {
    if (commit.length !== this.#keyLength - REST_LENGTH) return null
    let at = this.#bytes.indexOf(commit, 0, 'latin1')
    while (at >= 0 && at % this.#keyLength > 0) at = this.#bytes.indexOf(commit, at + 1, 'latin1')
    return at < 0 ? null : at / this.#keyLength
  }

  commitAt(row: number): CommitSha {
    const length = this.#keyLength - REST_LENGTH
    const name = this.#textAt(row * this.#keyLength, length)
    if (isCommit(name, length)) return name
    throw new RangeError(`There is no entry ${row}`)
  }

  /** The number in the first signs of a commit, as `HexPlaces` stores it. */
  firstOfCommitAt(row: number): number {
    return this.#numberAt(row * this.#keyLength)
  }

  /** The same of a digest; null without one. */
  firstOfDigestAt(row: number): number | null {
    return this.hasDigestAt(row) ? this.#numberAt(this.#digestAt(row)) : null
  }

  isClosedAt(row: number): boolean {
    return CLOSED.includes(this.#signAt(row))
  }

  /** Whether an entry came upon anything else than the entry before alone. */
  isBranchedAt(row: number): boolean {
    return BRANCHED.includes(this.#signAt(row))
  }

  hasDigestAt(row: number): boolean {
    return this.#bytes[this.#digestAt(row)] !== NO_DIGEST.charCodeAt(0)
  }

  digestAt(row: number): Digest | null {
    const name = this.#textAt(this.#digestAt(row), DIGEST_LENGTH)
    return this.hasDigestAt(row) && isWholeDigest(name) ? name : null
  }

  #signAt(row: number): string {
    return this.#textAt(this.#digestAt(row) - 1, 1)
  }

  #digestAt(row: number): number {
    return (row + 1) * this.#keyLength - DIGEST_LENGTH
  }

  #numberAt(start: number): number {
    let number = 0
    for (let at = start; at < start + STORED_SIGNS; at += 1) {
      const sign = this.#bytes[at] ?? 0
      number = number * 16 + (sign < LETTERS_FROM ? sign - ZERO : sign - LETTERS_FROM + 10)
    }
    return number
  }

  #textAt(start: number, length: number): string {
    return this.#bytes.toString('latin1', start, start + length)
  }
}

function isCommit(name: string, length: number): name is CommitSha {
  return name !== '' && name.length === length
}

function isWholeDigest(name: string): name is Digest {
  return name.length === DIGEST_LENGTH
}
