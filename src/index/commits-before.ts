import type { CommitSha } from '../core/revision.ts'
import { NumberList } from '../lib/compact/number-list.ts'
import { CommitNumbers } from './commit-numbers.ts'

/** What stands for the commit before the first one, and for that of a commit which is not here. */
const [NONE, ABSENT] = [-1, -2]

/** Some commits, each with the one before it, in a few bytes for each. */
export class CommitsBefore {
  readonly #numbers: CommitNumbers
  /** The number of the commit before, by that of the commit. */
  readonly #before = new NumberList()
  #size = 0

  constructor(numbers = new CommitNumbers()) {
    this.#numbers = numbers
  }

  get size(): number {
    return this.#size
  }

  has(commit: CommitSha): boolean {
    return this.#find(commit) !== ABSENT
  }

  /** Whether a commit is here, with that one before it; null for the first. */
  isAfter(commit: CommitSha, previous: CommitSha | null): boolean {
    const before = this.#find(commit)
    if (before === ABSENT) return false
    return (before === NONE ? null : this.#numbers.nameOf(before)) === previous
  }

  /** Adds a commit, or says anew which one is before it. */
  set(commit: CommitSha, previous: CommitSha | null): void {
    if (!this.has(commit)) this.#size += 1
    const before = previous === null ? NONE : this.#numbers.numberOf(previous)
    this.#before.set(this.#numbers.numberOf(commit), before, ABSENT)
  }

  /** Removes those that are not to be kept. */
  keep(isKept: (commit: CommitSha) => boolean): void {
    for (let number = 0; number < this.#before.length; number += 1) {
      const isHere = this.#before.at(number) !== ABSENT
      if (!isHere || isKept(this.#numbers.nameOf(number))) continue
      this.#before.set(number, ABSENT, ABSENT)
      this.#size -= 1
    }
  }

  clear(): void {
    this.#before.clear()
    this.#size = 0
  }

  /** Each commit with the one before it, in no order. */
  *entries(): Generator<readonly [commit: CommitSha, previous: CommitSha | null]> {
    for (let number = 0; number < this.#before.length; number += 1) {
      const before = this.#before.at(number) ?? ABSENT
      if (before === ABSENT) continue
      yield [this.#numbers.nameOf(number), before === NONE ? null : this.#numbers.nameOf(before)]
    }
  }

  #find(commit: CommitSha): number {
    const number = this.#numbers.find(commit)
    return (number === null ? undefined : this.#before.at(number)) ?? ABSENT
  }
}
