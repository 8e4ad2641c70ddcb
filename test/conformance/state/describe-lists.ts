import { describe, expect, it } from 'vitest'
import { fill, NUMBER } from './notes.ts'
import { openedState, type StatePlace } from './state-place.ts'

/** Numbers that count up and lists in order. */
export function describeLists(freshPlace: () => Promise<StatePlace>): void {
  describe('counters', () => {
    const at = openedState(freshPlace)

    it('begin at one and go on after a restart', async () => {
      expect(await at.store.change((tx) => tx.next('a'))).toBe(1)
      expect(await at.store.change((tx) => tx.next('a', 3))).toBe(2)

      expect(await (await at.reopened()).change((tx) => tx.next('a'))).toBe(5)
      expect(await at.store.counter('a')).toBe(5)
      expect(await at.store.counter('b')).toBe(0)
    })

    it('never give a number twice to two writers on one at.store', async () => {
      await using other = await at.place.open()

      const taken = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          (n % 2 ? at.store : other).change((tx) => tx.next('shared')),
        ),
      )

      expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
    })
  })

  describe('lists', () => {
    const at = openedState(freshPlace)

    it.each([
      { offset: 0, items: [25, 24, 23, 22, 21, 20, 19, 18, 17, 16] },
      { offset: 10, items: [15, 14, 13, 12, 11, 10, 9, 8, 7, 6] },
      { offset: 20, items: [5, 4, 3, 2, 1] },
      { offset: 24, items: [1] },
      { offset: 25, items: [] },
      { offset: 2 ** 40, items: [] },
    ])('of 25 have at offset $offset the items $items', async ({ offset, items }) => {
      await fill(at.store, 25)

      expect(await at.store.page(NUMBER, 'all', { offset, limit: 10 })).toEqual({
        total: 25,
        items,
      })
    })

    it('stay dense when two writers append at once', async () => {
      await using other = await at.place.open()
      await at.store.change((tx) => tx.put(NUMBER, 'n', 1))

      await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          (n % 2 ? at.store : other).change((tx) => tx.append('both', 'n')),
        ),
      )

      expect((await at.store.page(NUMBER, 'both', { offset: 59, limit: 10 })).items).toEqual([1])
      expect(await at.store.check([NUMBER])).toEqual([])
    })

    it('do not mix', async () => {
      await fill(at.store, 3)
      await at.store.change((tx) => tx.append('other', 'n2'))

      expect(await at.store.page(NUMBER, 'other', { offset: 0, limit: 10 })).toEqual({
        total: 1,
        items: [2],
      })
    })
  })
}
