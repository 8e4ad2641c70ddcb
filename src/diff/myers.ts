import { type ComparedSide, roughSquareRoot } from './candidates.ts'

/** A rectangle of the edit graph yet to be compared. */
interface Box {
  readonly beforeStart: number
  readonly beforeEnd: number
  readonly afterStart: number
  readonly afterEnd: number
}

/** The least number of edits that one search may always spend. */
const MIN_COST = 256
const MAX_COST = 2048
/** Steps that one comparison may spend before its searches become short. */
const BUDGET = 60_000_000
const COST_BEYOND_BUDGET = 8

/** Larger than every place, and still a small integer. */
const BEYOND = 0x3fffffff

/**
 * Marks the lines that differ, by Myers' algorithm in linear space. A search that
 * costs too much ends at the best place it has reached: the result is then not
 * the smallest, but always correct.
 */
export function markDifferences(before: ComparedSide, after: ComparedSide): void {
  const search = new Search(before.ids, after.ids)
  const pending: Box[] = [
    { beforeStart: 0, beforeEnd: before.ids.length, afterStart: 0, afterEnd: after.ids.length },
  ]
  for (let box = pending.pop(); box !== undefined; box = pending.pop()) {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = search.withoutCommonEnds(box)
    if (beforeStart === beforeEnd) mark(after, afterStart, afterEnd)
    else if (afterStart === afterEnd) mark(before, beforeStart, beforeEnd)
    else {
      const at = search.split({ beforeStart, beforeEnd, afterStart, afterEnd })
      pending.push(
        { beforeStart: at.before, beforeEnd, afterStart: at.after, afterEnd },
        { beforeStart, beforeEnd: at.before, afterStart, afterEnd: at.after },
      )
    }
  }
}

function mark(side: ComparedSide, start: number, end: number): void {
  for (let n = start; n < end; n++) side.changed[side.places[n] ?? 0] = 1
}

interface Point {
  readonly before: number
  readonly after: number
}

/**
 * Looks for a place where the shortest path crosses the middle of a box, from
 * both ends at once. A diagonal is `before - after`; for each one the two
 * frontiers hold how far along `before` the paths have come.
 */
class Search {
  readonly #a: Int32Array
  readonly #b: Int32Array
  readonly #forward: Int32Array
  readonly #backward: Int32Array
  /** Where diagonal 0 is in the frontiers. */
  readonly #origin: number
  readonly #cost: number
  #budget = BUDGET
  #met: Point | null = null
  #box: Box = { beforeStart: 0, beforeEnd: 0, afterStart: 0, afterEnd: 0 }
  #forwardLow = 0
  #forwardHigh = 0
  #backwardLow = 0
  #backwardHigh = 0

  constructor(a: Int32Array, b: Int32Array) {
    this.#a = a
    this.#b = b
    const diagonals = a.length + b.length + 3
    this.#forward = new Int32Array(diagonals)
    this.#backward = new Int32Array(diagonals)
    this.#origin = b.length + 1
    this.#cost = Math.min(Math.max(MIN_COST, roughSquareRoot(diagonals)), MAX_COST)
  }

  withoutCommonEnds(box: Box): Box {
    const a = this.#a
    const b = this.#b
    let { beforeStart, beforeEnd, afterStart, afterEnd } = box
    while (beforeStart < beforeEnd && afterStart < afterEnd && a[beforeStart] === b[afterStart]) {
      beforeStart += 1
      afterStart += 1
    }
    while (
      beforeStart < beforeEnd &&
      afterStart < afterEnd &&
      a[beforeEnd - 1] === b[afterEnd - 1]
    ) {
      beforeEnd -= 1
      afterEnd -= 1
    }
    return { beforeStart, beforeEnd, afterStart, afterEnd }
  }

  split(box: Box): Point {
    this.#begin(box)
    const mostCost = this.#budget > 0 ? this.#cost : COST_BEYOND_BUDGET
    for (let cost = 1; ; cost++) {
      this.#advanceForward()
      if (this.#met) return this.#met
      this.#advanceBackward()
      if (this.#met) return this.#met
      if (cost >= mostCost) return this.#bestSoFar()
    }
  }

  #begin(box: Box): void {
    const first = box.beforeStart - box.afterStart
    const last = box.beforeEnd - box.afterEnd
    this.#box = box
    this.#met = null
    this.#forwardLow = this.#forwardHigh = first
    this.#backwardLow = this.#backwardHigh = last
    this.#forward[this.#origin + first] = box.beforeStart
    this.#backward[this.#origin + last] = box.beforeEnd
  }

  #advanceForward(): void {
    this.#widenForward()
    const a = this.#a
    const b = this.#b
    const reach = this.#forward
    const { beforeEnd, afterEnd } = this.#box
    const low = this.#forwardLow
    let steps = 0
    for (let diagonal = this.#forwardHigh; diagonal >= low; diagonal -= 2) {
      const slot = this.#origin + diagonal
      const start = Math.max((reach[slot - 1] ?? 0) + 1, reach[slot + 1] ?? 0)
      let x = start
      let y = x - diagonal
      while (x < beforeEnd && y < afterEnd && a[x] === b[y]) {
        x += 1
        y += 1
      }
      reach[slot] = x
      steps += x - start + 1
      if (this.#meetsBackward(diagonal, x)) break
    }
    this.#budget -= steps
  }

  #advanceBackward(): void {
    this.#widenBackward()
    const a = this.#a
    const b = this.#b
    const reach = this.#backward
    const { beforeStart, afterStart } = this.#box
    const low = this.#backwardLow
    let steps = 0
    for (let diagonal = this.#backwardHigh; diagonal >= low; diagonal -= 2) {
      const slot = this.#origin + diagonal
      const start = Math.min(reach[slot - 1] ?? 0, (reach[slot + 1] ?? 0) - 1)
      let x = start
      let y = x - diagonal
      while (x > beforeStart && y > afterStart && a[x - 1] === b[y - 1]) {
        x -= 1
        y -= 1
      }
      reach[slot] = x
      steps += start - x + 1
      if (this.#meetsForward(diagonal, x)) break
    }
    this.#budget -= steps
  }

  /** Takes in one more diagonal at each side, or leaves one out at the border of the box. */
  #widenForward(): void {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = this.#box
    if (this.#forwardLow > beforeStart - afterEnd) {
      this.#forwardLow -= 1
      this.#forward[this.#origin + this.#forwardLow - 1] = -1
    } else this.#forwardLow += 1
    if (this.#forwardHigh < beforeEnd - afterStart) {
      this.#forwardHigh += 1
      this.#forward[this.#origin + this.#forwardHigh + 1] = -1
    } else this.#forwardHigh -= 1
  }

  #widenBackward(): void {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = this.#box
    if (this.#backwardLow > beforeStart - afterEnd) {
      this.#backwardLow -= 1
      this.#backward[this.#origin + this.#backwardLow - 1] = BEYOND
    } else this.#backwardLow += 1
    if (this.#backwardHigh < beforeEnd - afterStart) {
      this.#backwardHigh += 1
      this.#backward[this.#origin + this.#backwardHigh + 1] = BEYOND
    } else this.#backwardHigh -= 1
  }

  /** The frontiers can meet on a diagonal only where both have been at the same parity. */
  #meetsBackward(diagonal: number, x: number): boolean {
    if (diagonal < this.#backwardLow || diagonal > this.#backwardHigh) return false
    if (((diagonal - this.#backwardLow) & 1) !== 0) return false
    if (x < (this.#backward[this.#origin + diagonal] ?? 0)) return false
    this.#met = { before: x, after: x - diagonal }
    return true
  }

  #meetsForward(diagonal: number, x: number): boolean {
    if (diagonal < this.#forwardLow || diagonal > this.#forwardHigh) return false
    if (((diagonal - this.#forwardLow) & 1) !== 0) return false
    if (x > (this.#forward[this.#origin + diagonal] ?? 0)) return false
    this.#met = { before: x, after: x - diagonal }
    return true
  }

  /** The place furthest from the corner where its search began. */
  #bestSoFar(): Point {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = this.#box
    const forward = this.#furthestForward()
    const backward = this.#furthestBackward()
    const wayForward = forward.before - beforeStart + forward.after - afterStart
    const wayBackward = beforeEnd - backward.before + afterEnd - backward.after
    return wayForward >= wayBackward ? forward : backward
  }

  #furthestForward(): Point {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = this.#box
    let best: Point = { before: beforeStart, after: afterStart }
    for (let diagonal = this.#forwardHigh; diagonal >= this.#forwardLow; diagonal -= 2) {
      const reached = this.#forward[this.#origin + diagonal] ?? 0
      const before = Math.min(reached, beforeEnd, afterEnd + diagonal)
      const after = before - diagonal
      if (before + after > best.before + best.after) best = { before, after }
    }
    return best
  }

  #furthestBackward(): Point {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = this.#box
    let best: Point = { before: beforeEnd, after: afterEnd }
    for (let diagonal = this.#backwardHigh; diagonal >= this.#backwardLow; diagonal -= 2) {
      const reached = this.#backward[this.#origin + diagonal] ?? 0
      const before = Math.max(reached, beforeStart, afterStart + diagonal)
      const after = before - diagonal
      if (before + after < best.before + best.after) best = { before, after }
    }
    return best
  }
}
