import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds after which the event loop gets its turn. */
const SLICE_MS = 10

/**
 * Work in small steps that ends with a result. Its caller decides how it runs: without a pause, as in
 * a worker thread, or with turns for the event loop between.
 */
export type CooperativeWork<Result> = Iterator<unknown, Result, void>

/** The turns of work that would hold up the event loop: each one is over after some milliseconds. */
export class Turns {
  #end = performance.now() + SLICE_MS

  get isOver(): boolean {
    return performance.now() >= this.#end
  }

  /** Gives the event loop its turn, and begins another one. */
  async next(): Promise<void> {
    await nextTurn()
    this.#end = performance.now() + SLICE_MS
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
