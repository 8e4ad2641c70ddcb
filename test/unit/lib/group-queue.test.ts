import { describe, expect, it } from 'vitest'
import { GroupQueue, type Settled } from '../../../src/lib/group-queue.ts'

const CLOSED = new RangeError('too late')

/**
 * A queue that answers a job with its name, in groups up to a size, and the groups it has served.
 */
function queueOf({ most = Infinity, refused = [] as readonly string[] } = {}) {
  const groups: string[][] = []
  const serve = async (waiting: Iterable<string>): Promise<readonly Settled<string>[]> => {
    const group: string[] = []
    groups.push(group)
    for (const job of waiting) {
      group.push(job)
      await new Promise(setImmediate)
      if (group.length === most) break
    }
    return group.map((job) =>
      refused.includes(job)
        ? { status: 'rejected', reason: new Error(job) }
        : { status: 'fulfilled', value: `${job} is done` },
    )
  }
  return { queue: new GroupQueue(serve, () => CLOSED), groups }
}

describe('a group queue', () => {
  it('serves what waits as one group, also what comes meanwhile', async () => {
    const { queue, groups } = queueOf()

    const early = ['one', 'two'].map((job) => queue.run(job))
    await Promise.resolve().then(() => Promise.resolve())
    const late = queue.run('three')

    expect(await Promise.all([...early, late])).toEqual([
      'one is done',
      'two is done',
      'three is done',
    ])
    expect(groups).toEqual([['one', 'two', 'three']])
  })

  it('leaves what a group does not take to the next one', async () => {
    const { queue, groups } = queueOf({ most: 2 })

    await Promise.all(['one', 'two', 'three', 'four', 'five'].map((job) => queue.run(job)))

    expect(groups).toEqual([['one', 'two'], ['three', 'four'], ['five']])
  })

  it('gives the failure of a job to its caller alone', async () => {
    const { queue } = queueOf({ refused: ['two'] })

    const outcomes = await Promise.allSettled(['one', 'two', 'three'].map((job) => queue.run(job)))

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('gives the failure of a group to those that it took, and goes on', async () => {
    let left = 1
    const queue = new GroupQueue<string, string>(
      async (waiting) => {
        const group: string[] = []
        for (const job of waiting) if (group.push(job) === 2) break
        if (left-- > 0) throw new Error('disk full')
        return group.map((value) => ({ status: 'fulfilled', value }))
      },
      () => CLOSED,
    )

    const outcomes = await Promise.allSettled(['one', 'two', 'three'].map((job) => queue.run(job)))

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  })

  it('gives the failure of a group that took nothing to the first', async () => {
    const queue = new GroupQueue<string, string>(
      () => Promise.reject(new Error('disk full')),
      () => CLOSED,
    )

    const outcomes = await Promise.allSettled(['one', 'two'].map((job) => queue.run(job)))

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it('says how many jobs wait or run, and how many were taken', async () => {
    const { queue } = queueOf()
    const jobs = ['one', 'two'].map((job) => queue.run(job))

    expect(queue.load()).toMatchObject({ waiting: 2, served: 0 })

    await Promise.all(jobs)
    expect(queue.load()).toMatchObject({ waiting: 0, served: 2 })
  })

  it('finishes what it accepted before it closes, and accepts nothing more', async () => {
    const { queue, groups } = queueOf({ most: 1 })
    const jobs = Promise.all(['one', 'two'].map((job) => queue.run(job)))

    await queue.close()

    expect(groups).toEqual([['one'], ['two']])
    await jobs
    await expect(queue.run('late')).rejects.toThrow(CLOSED)
  })
})
