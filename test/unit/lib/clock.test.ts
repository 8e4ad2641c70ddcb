import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { runningClock } from '../../../src/lib/clock.ts'

it(
  'the time of a process goes on by itself, and by a second at most while it is frozen',
  { tags: ['long'] },
  async () => {
    const clock = runningClock()
    const begun = clock()

    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500)

    const thawed = clock()
    expect(thawed - begun).toBeLessThan(1_100)
    await expect
      .poll(() => delay(0).then(() => clock() - thawed), { timeout: 5_000 })
      .toBeGreaterThan(1_200)
  },
)
