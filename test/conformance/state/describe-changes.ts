import { describe, expect, it, onTestFinished } from 'vitest'
import { NUMBER } from './notes.ts'
import { openedState, type StatePlace } from './state-place.ts'

/** Enough to take several turns of any machine. */
const MANY = 10_000

/** Describes changes of one writer and of several. */
export function describeChanges(freshPlace: () => Promise<StatePlace>): void {
  describe('changes', () => {
    const at = openedState(freshPlace)

    it('see their own writes, which nobody else sees before the commit', async () => {
      const seen = await at.store.change(async (tx) => {
        await tx.put(NUMBER, 'n', 1)
        return { inside: await tx.find(NUMBER, 'n'), outside: await at.store.find(NUMBER, 'n') }
      })

      expect(seen).toEqual({ inside: 1, outside: null })
      expect(await at.store.find(NUMBER, 'n')).toBe(1)
    })

    it('leave nothing behind when they throw', async () => {
      const attempt = at.store.change(async (tx) => {
        await tx.put(NUMBER, 'n', 1)
        await tx.next('ids')
        await tx.append('list', 'n')
        throw new RangeError('on purpose')
      })

      await expect(attempt).rejects.toThrow('on purpose')
      expect(await at.store.find(NUMBER, 'n')).toBeNull()
      expect(await at.store.counter('ids')).toBe(0)
      expect(await at.store.page(NUMBER, 'list', { offset: 0, limit: 10 })).toEqual({
        total: 0,
        items: [],
      })
    })

    it('leave others their turns, however much they write', async () => {
      let turns = 0
      const ticking = setInterval(() => (turns += 1), 1)
      onTestFinished(() => clearInterval(ticking))

      const during = await at.store.change(async (tx) => {
        const before = turns
        for (let n = 0; n < MANY; n += 1) await tx.put(NUMBER, `n${n}`, n)
        return turns - before
      })

      expect(during).toBeGreaterThan(0)
    })

    it('fail alone among those asked for in the same turn', async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 9 }, (_, n) =>
          at.store.change(async (tx) => {
            await tx.put(NUMBER, `n${n}`, await tx.next('ids'))
            if (n % 3 === 1) throw new RangeError('on purpose')
          }),
        ),
      )

      const stored = await at.store.list(NUMBER)
      expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
        outcomes.map((_, n) => n % 3 !== 1),
      )
      expect(stored.map(({ key }) => key)).toEqual(['n0', 'n2', 'n3', 'n5', 'n6', 'n8'])
      expect(stored.map(({ value }) => value)).toEqual([1, 2, 3, 4, 5, 6])
    })

    it('fail alone when it is the engine that refuses their statement', async () => {
      const refused = at.store.change(async (tx) => {
        await tx.put(NUMBER, 'lost', 1)
        await tx.next('ids', Number.NaN)
      })
      const healthy = at.store.change((tx) => tx.put(NUMBER, 'kept', 1))

      await expect(refused).rejects.toThrow(Error)
      await healthy
      expect(await at.store.list(NUMBER)).toEqual([{ key: 'kept', value: 1 }])
    })

    it('are refused once the at.store is closed, and those before are finished', async () => {
      const before = at.store.change((tx) => tx.put(NUMBER, 'n', 1))
      const closed = at.store[Symbol.asyncDispose]()

      await expect(at.store.change((tx) => tx.put(NUMBER, 'n', 2))).rejects.toMatchObject({
        code: 'unavailable',
      })
      await Promise.all([before, closed])
      at.store = await at.place.open()
      expect(await at.store.find(NUMBER, 'n')).toBe(1)
    })
  })
}
