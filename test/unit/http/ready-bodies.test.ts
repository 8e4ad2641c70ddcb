import { describe, expect, it } from 'vitest'
import { type KeptWhen, ReadyBodies } from '../../../src/http/ready-bodies.ts'
import { ReadyBody } from '../../../src/http/ready-body.ts'

/** Asks for these keys one after the other; gives those that had to be made. */
async function madeFor(
  bodies: ReadyBodies,
  keys: readonly string[],
  when: KeptWhen,
): Promise<string[]> {
  const made: string[] = []
  for (const key of keys) {
    const make = async () => {
      made.push(key)
      return new ReadyBody(new Uint8Array(1_000), {
        type: 'text/plain',
        etag: key,
        immutable: true,
      })
    }
    await bodies.take(key, make, when)
  }
  return made
}

describe('ready bodies', () => {
  it('are kept from the first time, or from the second where that is asked', async () => {
    const keys = ['a', 'b', 'a', 'a', 'b', 'b']

    const atOnce = await madeFor(new ReadyBodies(100_000), keys, 'at-once')
    const askedAgain = await madeFor(new ReadyBodies(100_000), keys, 'asked-again')

    expect(atOnce).toEqual(['a', 'b'])
    expect(askedAgain).toEqual(['a', 'b', 'a', 'b'])
  })

  it('are not driven out by many that are asked for once', async () => {
    const bodies = new ReadyBodies(20_000)
    await madeFor(bodies, ['wanted', 'wanted'], 'asked-again')
    const others = Array.from({ length: 100 }, (_, n) => `other-${n}`)

    await madeFor(bodies, others, 'asked-again')

    expect(bodies.find('wanted')).not.toBeNull()
    await madeFor(bodies, others, 'at-once')
    expect(bodies.find('wanted')).toBeNull()
  })

  it('go in the order in which they were used last', async () => {
    const bodies = new ReadyBodies(8_000)
    await madeFor(bodies, ['a', 'b', 'a', 'b', 'a'], 'at-once')

    await madeFor(bodies, ['c'], 'at-once')

    expect([bodies.find('a') !== null, bodies.find('b'), bodies.find('c') !== null]).toEqual([
      true,
      null,
      true,
    ])
  })
})
