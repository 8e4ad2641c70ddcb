import type { CommitSha } from '../core/revision.ts'
import { HexPlaces } from '../lib/compact/hex-places.ts'

/** Numbers for commits, from 0 on: what is kept of a million of them says these, not their names. */
export class CommitNumbers {
  readonly #places = new HexPlaces((number) => this.nameOf(number))
  /** The names in binary form, which is equally long for all commits of a repository. */
  #names = Buffer.alloc(0)
  #nameLength = 0
  #size = 0

  /** The number of a commit; null while it has none. */
  find(commit: CommitSha): number | null {
    return this.#places.find(commit)
  }

  /** The number of a commit, which gets one now if it has none. */
  numberOf(commit: CommitSha): number {
    return this.find(commit) ?? this.#add(commit)
  }

  /** @throws {RangeError} for a number that no commit has. */
  nameOf(number: number): CommitSha {
    const start = Math.min(number, this.#size) * this.#nameLength
    const name = this.#names.toString('hex', start, start + this.#nameLength)
    if (isCommit(name, 2 * this.#nameLength)) return name
    throw new RangeError(`No commit has the number ${number}`)
  }

  #add(commit: CommitSha): number {
    const number = this.#size
    this.#nameLength = commit.length / 2
    const start = number * this.#nameLength
    if (start + this.#nameLength > this.#names.length) {
      const larger = Buffer.alloc(Math.max(1_024, 2 * this.#names.length))
      this.#names.copy(larger)
      this.#names = larger
    }
    this.#names.write(commit, start, 'hex')
    this.#size += 1
    this.#places.grow(this.#size)
    return number
  }
}

function isCommit(name: string, length: number): name is CommitSha {
  return name !== '' && name.length === length
}
