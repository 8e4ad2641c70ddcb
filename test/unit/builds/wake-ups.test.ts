import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { LogEvent } from '../../../src/lib/log.ts'
import { WakeUps } from '../../../src/builds/triggers/wake-ups.ts'

function throwing({ message }: LogEvent): never {
  throw new Error(message)
}

/** Looks that last until a test ends them. */
function openLooks() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const wakeUps = new WakeUps(async (name) => {
    begun.push(name)
    await new Promise<void>((resolve) => ends.push(resolve))
  }, throwing)
  return { begun, endLook: () => ends.shift()?.(), wakeUps }
}

describe('a woken name', () => {
  it('is looked at once more, not more often, for what came meanwhile', async () => {
    const { begun, endLook, wakeUps } = openLooks()
    wakeUps.wake('a')
    await expect.poll(() => begun).toEqual(['a'])
    for (let n = 0; n < 5; n += 1) wakeUps.wake('a')
    wakeUps.wake('b')
    await expect.poll(() => begun).toEqual(['a', 'b'])

    endLook()

    await expect.poll(() => begun).toEqual(['a', 'b', 'a'])
    endLook()
    endLook()
    await wakeUps[Symbol.asyncDispose]()
    expect(begun).toEqual(['a', 'b', 'a'])
  })

  it('is looked at while any number of others wait aside, which go on eight at a time', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `slow-${n}`)
    const begun: string[] = []
    const goingOn: string[] = []
    const waits: (() => void)[] = []
    const ends: (() => void)[] = []
    const wakeUps = new WakeUps(async (name, aside) => {
      begun.push(name)
      if (name === 'quick') return
      await aside(() => new Promise<void>((resolve) => waits.push(resolve)))
      goingOn.push(name)
      await new Promise<void>((resolve) => ends.push(resolve))
    }, throwing)
    for (const name of [...names, 'quick']) wakeUps.wake(name)
    await expect.poll(() => begun).toEqual([...names, 'quick'])

    for (const end of waits) end()

    await expect.poll(() => goingOn).toHaveLength(8)
    await setImmediate()
    expect(goingOn).toHaveLength(8)
    for (let ended = 0; ended < names.length; ended += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(ended)
      ends[ended]?.()
    }
    await wakeUps[Symbol.asyncDispose]()
    expect(goingOn.toSorted()).toEqual(names.toSorted())
  })

  it('is left alone during a job, and looked at after it, whether it fails or not', async () => {
    const { begun, endLook, wakeUps } = openLooks()
    const finish: (() => void)[] = []
    const job = wakeUps.without('a', async () => {
      await new Promise<void>((resolve) => finish.push(resolve))
      throw new Error('no')
    })
    wakeUps.wake('a')
    wakeUps.wake('b')
    await expect.poll(() => begun).toEqual(['b'])

    finish[0]?.()

    await expect(job).rejects.toThrow('no')
    await expect.poll(() => begun).toEqual(['b', 'a'])
    endLook()
    endLook()
    await wakeUps[Symbol.asyncDispose]()
  })

  it('is not looked at any more once all is over', async () => {
    const { begun, wakeUps } = openLooks()
    await wakeUps[Symbol.asyncDispose]()

    wakeUps.wake('a')
    await wakeUps[Symbol.asyncDispose]()

    expect(begun).toEqual([])
  })
})
