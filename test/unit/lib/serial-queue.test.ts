import { describe, expect, it } from 'vitest'
import { SerialQueue } from '../../../src/lib/serial-queue.ts'

describe('a serial queue', () => {
  it('runs one job at a time, first come first served', async () => {
    const queue = new SerialQueue()
    const events: string[] = []
    const job = (name: string) => async () => {
      events.push(`${name} begins`)
      await new Promise(setImmediate)
      events.push(`${name} ends`)
      return name
    }

    const results = await Promise.all(['one', 'two', 'three'].map((name) => queue.run(job(name))))

    expect(results).toEqual(['one', 'two', 'three'])
    expect(events).toEqual(['one', 'two', 'three'].flatMap((n) => [`${n} begins`, `${n} ends`]))
  })

  it('gives a failure to its own caller and goes on', async () => {
    const queue = new SerialQueue()

    const failing = queue.run(() => Promise.reject(new Error('disk full')))
    const next = queue.run(() => Promise.resolve('done'))

    await expect(failing).rejects.toThrow('disk full')
    expect(await next).toBe('done')
  })

  it('says how many jobs wait or run, and how many have had their turn', async () => {
    const queue = new SerialQueue()
    const ends: (() => void)[] = []
    const first = queue.run(() => new Promise<void>((resolve) => ends.push(resolve)))
    const second = queue.run(async () => 'done')
    await new Promise(setImmediate)

    expect(queue.load()).toMatchObject({ waiting: 2, served: 1 })

    for (const end of ends) end()
    await Promise.all([first, second])
    await queue.close()
    expect(queue.load()).toMatchObject({ waiting: 0, served: 2 })
  })

  it('finishes what it accepted before it closes, and accepts nothing more', async () => {
    const queue = new SerialQueue(() => new RangeError('too late'))
    const done: string[] = []
    const jobs = ['one', 'two'].map((name) =>
      queue.run(async () => {
        await new Promise(setImmediate)
        done.push(name)
      }),
    )

    await queue.close()

    expect(done).toEqual(['one', 'two'])
    await Promise.all(jobs)
    await expect(queue.run(async () => 'late')).rejects.toThrow(new RangeError('too late'))
  })
})
