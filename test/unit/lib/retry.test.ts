import { describe, expect, it, onTestFinished } from 'vitest'
import { retry, RetryLoop, type RetryLoopOptions, Backoff } from '../../../src/lib/retry.ts'
import { until } from '../../support/programs/until.ts'

const AT_ONCE = { fromMs: 1, toMs: 2 }
const NEVER = { fromMs: 1e9, toMs: 1e9 }

describe('retry', () => {
  it('tries until it succeeds, and has the pauses begin anew', async () => {
    const backoff = new Backoff({ fromMs: 1, toMs: 1_000 }, () => 1)
    const failures: unknown[] = []
    const attempts = attemptsOf(['first', 'second', null])

    const options = { backoff, signal: new AbortController().signal }
    await retry(attempts, { ...options, onFailure: (error) => failures.push(error) })

    expect(failures).toEqual([new Error('first'), new Error('second')])
    expect(backoff.next()).toBe(1)
  })

  it('ends with a failure that is not to be tried again', async () => {
    const options = { backoff: new Backoff(AT_ONCE), signal: new AbortController().signal }

    const given = retry(attemptsOf(['first', null]), { ...options, onFailure: giveUp })

    await expect(given).rejects.toThrow(new RangeError('given up'))
  })

  it('ends in a pause when the signal is aborted', async () => {
    const end = new AbortController()
    const reason = new Error('the end')
    const onFailure = () => void setImmediate(() => end.abort(reason))

    const given = retry(attemptsOf(['first', null]), {
      backoff: new Backoff(NEVER),
      signal: end.signal,
      onFailure,
    })

    await expect(given).rejects.toBe(reason)
  })
})

describe('a retry loop', () => {
  it('does a round at once and one after each wake-up', async () => {
    const { loop, rounds } = start(async () => {})
    await until(() => rounds.length === 1)
    expect(loop.problem).toBeNull()

    loop.wake()
    await until(() => rounds.length === 2)
  })

  it('does one more round after one in which it was woken, however often', async () => {
    const ends: (() => void)[] = []
    const { loop, rounds } = start(() => new Promise((resolve) => ends.push(resolve)))
    for (let n = 0; n < 3; n += 1) loop.wake()
    ends[0]?.()
    await until(() => rounds.length === 2)
    ends[1]?.()
    await new Promise(setImmediate)

    expect(rounds).toHaveLength(2)
  })

  it('repeats a round that fails, and reports each problem and its end once', async () => {
    const { loop, reports } = start(attemptsOf(['disk', 'disk', 'net', null]))
    await until(() => reports.length === 3)

    expect(reports).toEqual(['disk', 'net', null])
    expect(loop.problem).toBeNull()
  })

  it('repeats a step without the steps before it', async () => {
    const done: string[] = []
    const second = attemptsOf(['net', null])
    const { reports } = start(async (loop) => {
      await loop.step(async () => void done.push('first'))
      await loop.step(second)
      done.push('second')
    })
    await until(() => done.includes('second'))

    expect(done).toEqual(['first', 'second'])
    expect(reports).toEqual(['net', null])
  })

  it('ends in a pause, and without a report of what the end made fail', async () => {
    const paused = start(attemptsOf(['disk', null]), NEVER)
    await until(() => paused.reports.length === 1)
    await paused.loop[Symbol.asyncDispose]()
    expect(paused.reports).toEqual(['disk'])
    expect(paused.rounds).toHaveLength(1)

    const working = start(
      (loop) =>
        new Promise((_, reject) => {
          loop.signal.addEventListener('abort', () => reject(new Error('broken off')))
        }),
    )
    await working.loop[Symbol.asyncDispose]()
    expect(working.reports).toEqual([])
  })

  it('ends after a round that succeeds though the loop was to end', async () => {
    const ends: (() => void)[] = []
    const { loop, rounds } = start(() => new Promise((resolve) => ends.push(resolve)))
    await until(() => ends.length === 1)

    const ended = loop[Symbol.asyncDispose]()
    ends[0]?.()
    await ended

    expect(rounds).toHaveLength(1)
  }, 5_000)
})

function start(round: RetryLoopOptions['round'], pauses = AT_ONCE) {
  const rounds: number[] = []
  const reports: (string | null)[] = []
  const loop = new RetryLoop({
    round: (made) => {
      rounds.push(rounds.length)
      return round(made)
    },
    pauses,
    problemOf: (error) => (error instanceof Error ? error.message : ''),
    report: (problem) => reports.push(problem),
  })
  onTestFinished(() => loop[Symbol.asyncDispose]())
  return { loop, rounds, reports }
}

function giveUp(error: unknown): never {
  throw new RangeError('given up', { cause: error })
}

/** Fails with these messages, one after the other; null stands for a success. */
function attemptsOf(results: readonly (string | null)[]): () => Promise<void> {
  const left = [...results]
  return async () => {
    const message = left.shift() ?? null
    if (message !== null) throw new Error(message)
  }
}
