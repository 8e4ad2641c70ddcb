import { describe, expect, it } from 'vitest'
import { Backoff } from '../../../src/lib/retry.ts'

const LIMITS = { fromMs: 100, toMs: 1_000 }

function pauses(random: number, count: number): number[] {
  const backoff = new Backoff(LIMITS, () => random)
  return Array.from({ length: count }, () => backoff.next())
}

describe('the pauses between attempts', () => {
  it('double up to their limit', () => {
    expect(pauses(1, 6)).toEqual([100, 200, 400, 800, 1_000, 1_000])
  })

  it('are spread by chance, down to their half', () => {
    expect(pauses(0, 3)).toEqual([50, 100, 200])
    expect(pauses(0.5, 3)).toEqual([75, 150, 300])
  })

  it('begin anew after a success', () => {
    const backoff = new Backoff(LIMITS, () => 1)
    backoff.next()
    backoff.next()

    backoff.reset()

    expect(backoff.next()).toBe(100)
  })

  it('stay at the limit however long it lasts', () => {
    expect(pauses(1, 5_000).at(-1)).toBe(1_000)
  })
})
