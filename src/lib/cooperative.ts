import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds after which the event loop gets its turn. */
const TURN = 10

/** Work in small steps that ends with a result. */
export type CooperativeWork<Result> = Iterator<unknown, Result, void>

/** Runs all steps, and yields to the event loop regularly. */
export async function runCooperatively<Result>(steps: CooperativeWork<Result>): Promise<Result> {
  let step = steps.next()
  for (let end = performance.now() + TURN; !step.done; step = steps.next()) {
    if (performance.now() < end) continue
    await nextTurn()
    end = performance.now() + TURN
  }
  return step.value
}

/** Runs all steps without a pause. */
export function runSync<Result>(steps: CooperativeWork<Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
