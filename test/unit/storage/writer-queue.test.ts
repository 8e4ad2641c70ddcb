import { describe, expect, it } from 'vitest'
import { WriterQueue } from '../../../src/storage/writer-queue.ts'

describe('writer queue', () => {
  it('runs one job at a time, first come first served', async () => {
    const queue = new WriterQueue()
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

  it('tells a failure to its own caller and goes on', async () => {
    const queue = new WriterQueue()

    const failing = queue.run(() => Promise.reject(new Error('disk full')))
    const next = queue.run(() => Promise.resolve('done'))

    await expect(failing).rejects.toThrow('disk full')
    expect(await next).toBe('done')
  })

  it('finishes what it accepted before it closes, and accepts nothing more', async () => {
    const queue = new WriterQueue()
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
    await expect(queue.run(async () => 'late')).rejects.toMatchObject({ code: 'unavailable' })
  })
})
