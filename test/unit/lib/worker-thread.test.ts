import { describe, expect, it, onTestFinished } from 'vitest'
import { WorkerThread } from '../../../src/lib/worker-thread.ts'

/** Answers each job with its own number, how many jobs it has had, and what was in its memory. */
const COUNTING = workerOf(`
  let count = 0
  parentPort.on('message', ({ job, bytes }) => {
    count += 1
    if (job === 'hang') for (;;);
    if (job === 'exit') process.exit(0)
    if (job === 'fail') throw new TypeError('broken')
    if (job === 'grow') for (const all = []; ; ) all.push(new Array(1_000_000).fill(count))
    parentPort.postMessage({ job, count, first: bytes[0] })
  })
`)

interface Job {
  readonly job: string
  readonly bytes: Uint8Array
}

interface Answer {
  readonly job: string
  readonly count: number
  readonly first: number
}

describe('a worker thread', () => {
  it('does its jobs one after the other in the same thread', async () => {
    const run = opened()

    const answers = await Promise.all(['one', 'two'].map((job) => run(job)))

    expect(answers).toEqual([
      { job: 'one', count: 1, first: 7 },
      { job: 'two', count: 2, first: 7 },
    ])
  })

  it('takes over the memory that is handed to it', async () => {
    const thread = open()
    const bytes = Uint8Array.of(7, 8)

    expect(await thread.run({ job: 'one', bytes }, [bytes.buffer])).toMatchObject({ first: 7 })
    expect(bytes.length).toBe(0)
  })

  it(
    'gives no answer when time or memory runs out, and goes on with a new thread',
    { tags: ['long', 'node'] },
    async () => {
      const run = opened({ timeLimit: 2_000, memoryMb: 32 })

      expect(await run('hang')).toBeNull()
      expect(await run('one')).toMatchObject({ job: 'one', count: 1 })
      expect(await run('grow')).toBeNull()
      expect(await run('two')).toMatchObject({ job: 'two', count: 1 })
    },
  )

  it('fails the job alone that an error or an exit belongs to', async () => {
    const run = opened()

    const answers = await Promise.allSettled(['fail', 'one', 'exit', 'two'].map((job) => run(job)))

    expect(answers).toMatchObject([
      { status: 'rejected', reason: { message: 'broken' } },
      { status: 'fulfilled', value: { job: 'one', count: 1 } },
      { status: 'rejected', reason: { message: 'the worker thread has ended' } },
      { status: 'fulfilled', value: { job: 'two', count: 1 } },
    ])
  })

  it('takes no jobs once it is closed', async () => {
    const thread = open()
    await thread.close()

    const bytes = Uint8Array.of(7)
    await expect(thread.run({ job: 'one', bytes }, [])).rejects.toThrow('closed')
  })
})

function open({ timeLimit = 60_000, memoryMb = 64 } = {}): WorkerThread<Job, Answer> {
  const thread = new WorkerThread<Job, Answer>(COUNTING, timeLimit, memoryMb)
  onTestFinished(() => thread.close())
  return thread
}

function opened(limits: Parameters<typeof open>[0] = {}) {
  const thread = open(limits)
  return (job: string) => thread.run({ job, bytes: Uint8Array.of(7) }, [])
}

function workerOf(code: string): URL {
  const source = `import { parentPort } from 'node:worker_threads'\n${code}`
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`)
}
