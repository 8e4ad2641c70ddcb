import { describe, expect, it } from 'vitest'
import { networkOf, RateLimit, siteOf } from '../../../src/core/service/rate-limit.ts'

function limit() {
  const time = { now: 1_000_000 }
  const limited = new RateLimit({ clock: () => time.now, burst: 3, every: 1_000 })
  const takes = (caller: string, count: number) =>
    Array.from({ length: count }, () => limited.take(caller))
  return { time, limited, takes }
}

describe('a rate limit', () => {
  it('lets a burst through, and says how long to wait after it', () => {
    const { takes } = limit()

    expect(takes('a', 5)).toEqual([0, 0, 0, 1_000, 1_000])
  })

  it('lets one more through after its time, and the burst after a longer one', () => {
    const { time, takes } = limit()
    takes('a', 4)

    time.now += 1_000
    expect(takes('a', 2)).toEqual([0, 1_000])
    time.now += 60_000
    expect(takes('a', 4)).toEqual([0, 0, 0, 1_000])
  })

  it('counts each caller for itself', () => {
    const { takes } = limit()
    takes('a', 4)

    expect(takes('b', 1)).toEqual([0])
  })

  it('counts a stranger for itself when somebody has invented too many callers', () => {
    const { limited, takes } = limit()
    for (let n = 0; n < 20_000; n += 1) limited.take(`invented-${n}`)

    expect(['x', 'y', 'z', 'w'].map((caller) => limited.take(caller))).toEqual([0, 0, 0, 0])
    expect(takes('w', 3)).toEqual([0, 0, 1_000])
  })

  it('keeps a caller at its limit when somebody invents others', () => {
    const { limited, takes } = limit()
    takes('guesser', 3)
    for (let n = 0; n < 50_000; n += 1) limited.take(`invented-${n}`)

    expect(takes('guesser', 1)).toEqual([1_000])
  })
})

describe('the network of an address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['local', 'local'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

describe('the site of an address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::9', '2001:db8:0::/48'],
  ])('of %s is %s', (address, site) => {
    expect(siteOf(address)).toBe(site)
  })
})
