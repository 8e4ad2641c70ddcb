import { describe, expect, it } from 'vitest'
import { runCooperatively } from '../../../src/lib/cooperative.ts'

/** Milliseconds that all work has in one turn of the loop, and steps that each begins beyond that. */
const [SLICE, BEYOND] = [10, 2]

/** Steps of a millisecond, and how many of them there were in the fullest turn of the event loop. */
class CountedSteps implements Disposable {
  #before = 0
  #count = 0
  #next = setImmediate(() => this.#turn())

  get fullest(): number {
    return Math.max(this.#before, this.#count)
  }

  *work(steps: number): Generator<void, number> {
    for (let n = 0; n < steps; n += 1) {
      for (const end = performance.now() + 1; performance.now() < end;);
      this.#count += 1
      yield
    }
    return steps
  }

  #turn(): void {
    this.#before = this.fullest
    this.#count = 0
    this.#next = setImmediate(() => this.#turn())
  }

  [Symbol.dispose](): void {
    clearImmediate(this.#next)
  }
}

describe('work that the event loop is shared with', () => {
  it('holds it no longer together than one alone', async () => {
    using counted = new CountedSteps()
    const works = [40, 30, 20].map((steps) => runCooperatively(counted.work(steps)))

    expect(await Promise.all(works)).toEqual([40, 30, 20])
    expect(counted.fullest).toBeLessThanOrEqual(SLICE + works.length * BEYOND)
  })

  it('has what is left of a turn where other work came before it', async () => {
    using counted = new CountedSteps()
    for (let n = 0; n < 5; n += 1) await runCooperatively(counted.work(8))

    expect(counted.fullest).toBeLessThanOrEqual(SLICE + BEYOND)
  })

  it('goes on beside work that takes long', async () => {
    using counted = new CountedSteps()
    let isDone = false
    const long = runCooperatively(counted.work(200)).then(() => (isDone = true))
    await runCooperatively(counted.work(5))

    expect(isDone).toBe(false)
    await long
  })
})
