import { describe, expect, it } from 'vitest'
import { type KeepWhen, ResponseCache } from '../../../src/http/response-cache.ts'
import { CachedResponse } from '../../../src/http/cached-response.ts'

/** Requests these keys one after the other; returns those that had to be made. */
async function madeFor(
  cache: ResponseCache,
  keys: readonly string[],
  when: KeepWhen,
): Promise<string[]> {
  const made: string[] = []
  for (const key of keys) {
    const make = async () => {
      made.push(key)
      return new CachedResponse(new Uint8Array(1_000), {
        type: 'text/plain',
        etag: key,
        immutable: true,
      })
    }
    await cache.take(key, make, when)
  }
  return made
}

describe('the responses of a cache', () => {
  it('are kept from the first time, or from the second where that is asked', async () => {
    const keys = ['a', 'b', 'a', 'a', 'b', 'b']

    const atOnce = await madeFor(new ResponseCache(100_000), keys, 'at-once')
    const askedAgain = await madeFor(new ResponseCache(100_000), keys, 'asked-again')

    expect(atOnce).toEqual(['a', 'b'])
    expect(askedAgain).toEqual(['a', 'b', 'a', 'b'])
  })

  it('are not driven out by many that are asked for once', async () => {
    const cache = new ResponseCache(20_000)
    await madeFor(cache, ['wanted', 'wanted'], 'asked-again')
    const others = Array.from({ length: 100 }, (_, n) => `other-${n}`)

    await madeFor(cache, others, 'asked-again')

    expect(cache.find('wanted')).not.toBeNull()
    await madeFor(cache, others, 'at-once')
    expect(cache.find('wanted')).toBeNull()
  })

  it('go in the order in which they were used last', async () => {
    const cache = new ResponseCache(8_000)
    await madeFor(cache, ['a', 'b', 'a', 'b', 'a'], 'at-once')

    await madeFor(cache, ['c'], 'at-once')

    expect([cache.find('a') !== null, cache.find('b'), cache.find('c') !== null]).toEqual([
      true,
      null,
      true,
    ])
  })
})
