import { describe, expect, it } from 'vitest'
import { Semaphore } from '../../../src/lib/semaphore.ts'

describe('a semaphore', () => {
  it('lets so many jobs run at once, and the others in the order in which they came', async () => {
    const semaphore = new Semaphore(2)
    const ends: (() => void)[] = []
    const jobs = [0, 1, 2, 3].map((n) =>
      semaphore.run(() => new Promise<void>((resolve) => (ends[n] = resolve))),
    )
    const begun = () => Object.keys(ends)
    expect(begun()).toEqual(['0', '1'])

    ends[1]?.()
    await jobs[1]
    await new Promise(setImmediate)
    expect(begun()).toEqual(['0', '1', '2'])

    ends[0]?.()
    await jobs[0]
    await new Promise(setImmediate)
    expect(begun()).toEqual(['0', '1', '2', '3'])

    for (const end of ends) end()
    await Promise.all(jobs)
  })

  it('gives the place of a job that fails to the next', async () => {
    const semaphore = new Semaphore(1)
    const failing = semaphore.run(() => Promise.reject(new Error('disk full')))
    const next = semaphore.run(async () => 'done')

    await expect(failing).rejects.toThrow('disk full')
    expect(await next).toBe('done')
    expect(await semaphore.run(async () => 'later')).toBe('later')
  })
})
