import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { abortedAfter } from '../../../src/lib/aborted-after.ts'

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

it('aborts a signal in time, also when memory was cleared meanwhile', async () => {
  const reasons: unknown[] = []
  const { signal } = new AbortController()
  const listen = (own: AbortSignal) => own.addEventListener('abort', () => reasons.push(own.reason))
  listen(abortedAfter(100, signal))

  await expect
    .poll(() => {
      collectGarbage()
      return reasons
    })
    .toEqual([expect.objectContaining({ name: 'TimeoutError' })])
})

it('aborts a signal with another one, for its reason', () => {
  const other = new AbortController()
  const signal = abortedAfter(60_000, other.signal)

  other.abort('over')

  expect(signal.reason).toBe('over')
})
