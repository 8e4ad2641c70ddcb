import { setImmediate } from 'node:timers'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds that all work together may take before the event loop gets its turn. */
const SLICE_MS = 10
/** Milliseconds that each has at least, so that small work need not wait for large. */
const MIN_SLICE_MS = 1

/** When the slice ends that work shares until the event loop has had its turn; null before any. */
let sharedEnd: number | null = null

/** When a slice ends that begins now. */
function endOfSlice(): number {
  const now = performance.now()
  if (sharedEnd === null) {
    sharedEnd = now + SLICE_MS
    // Two turns later: work that begins right behind other work shares its slice, also across a callback.
    setImmediate(() => setImmediate(() => (sharedEnd = null)))
  }
  return Math.max(sharedEnd, now + MIN_SLICE_MS)
}

/**
 * Work in small steps that ends with a result. Its caller decides how it runs: without a pause, as in
 * a worker thread, or with turns for the event loop between.
 */
export type CooperativeWork<Result> = Iterator<unknown, Result, void>

/** The turns of work that would hold up the event loop: each is over after some milliseconds, of which others may have taken a part. */
export class Turns {
  #end = endOfSlice()

  get isOver(): boolean {
    return performance.now() >= this.#end
  }

  /** Gives the event loop its turn, and begins another one. */
  async next(): Promise<void> {
    await nextTurn()
    this.#end = endOfSlice()
  }
}

/** Runs all steps, and yields to the event loop regularly. */
export async function runCooperatively<Result>(steps: CooperativeWork<Result>): Promise<Result> {
  const turns = new Turns()
  let step = steps.next()
  for (; !step.done; step = steps.next()) if (turns.isOver) await turns.next()
  return step.value
}

/** Runs all steps without a pause. */
export function runSync<Result>(steps: CooperativeWork<Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** The number of items that are processed concurrently, where each takes little. */
const AT_ONCE = 100

/**
 * Maps several items concurrently, for a database, and yields to the event loop between: there may
 * be tens of thousands.
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
  atOnce = AT_ONCE,
): Promise<Result[]> {
  const results: Result[] = []
  const turns = new Turns()
  for (let n = 0; n < items.length; n += atOnce) {
    if (turns.isOver) await turns.next()
    results.push(...(await Promise.all(items.slice(n, n + atOnce).map(map))))
  }
  return results
}

/** The items that a quick test keeps; yields to the event loop between in the same way. */
export async function filterInTurns<Item>(
  items: readonly Item[],
  isKept: (item: Item) => boolean,
): Promise<Item[]> {
  const kept: Item[] = []
  const turns = new Turns()
  for (const item of items) {
    if (turns.isOver) await turns.next()
    if (isKept(item)) kept.push(item)
  }
  return kept
}
