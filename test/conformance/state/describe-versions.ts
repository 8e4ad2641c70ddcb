import { describe, expect, it } from 'vitest'
import { type Upgrade, UPGRADES } from '../../../src/state/upgrades.ts'
import { NUMBER } from './notes.ts'
import { openedState, type StatePlace } from './state-place.ts'

const doubled: Upgrade = async (query) => {
  await query("UPDATE document SET json = '2' WHERE kind = 'number' AND json = '1'")
}

const broken: Upgrade = async (query) => {
  await query("UPDATE document SET json = '3' WHERE kind = 'number'")
  throw new RangeError('on purpose')
}

/** Upgrades of what an older program wrote. */
export function describeVersions(freshPlace: () => Promise<StatePlace>): void {
  describe('versions', () => {
    const at = openedState(freshPlace)

    it('are upgraded when the at.store is opened, once', async () => {
      await at.store.change((tx) => tx.put(NUMBER, 'n', 1))
      await at.store[Symbol.asyncDispose]()

      at.store = await at.place.open([...UPGRADES, doubled])
      expect(await at.store.find(NUMBER, 'n')).toBe(2)
      await at.store.change((tx) => tx.put(NUMBER, 'n', 1))
      await at.store[Symbol.asyncDispose]()

      at.store = await at.place.open([...UPGRADES, doubled])
      expect(await at.store.find(NUMBER, 'n')).toBe(1)
    })

    it('stay as they were when an upgrade fails', async () => {
      await at.store.change((tx) => tx.put(NUMBER, 'n', 1))
      await at.store[Symbol.asyncDispose]()

      await expect(at.place.open([...UPGRADES, broken])).rejects.toThrow('on purpose')

      at.store = await at.place.open()
      expect(await at.store.find(NUMBER, 'n')).toBe(1)
    })

    it('newer than the program are refused', async () => {
      await at.store[Symbol.asyncDispose]()
      at.store = await at.place.open([...UPGRADES, doubled])

      await expect(at.place.open()).rejects.toMatchObject({ code: 'unavailable' })
    })

    it('of an older dump are upgraded as it is loaded', async () => {
      await at.store.change((tx) => tx.put(NUMBER, 'n', 1))
      const elsewhere = await freshPlace()
      try {
        await elsewhere.load(at.store.dump(), [...UPGRADES, doubled])
        await using copy = await elsewhere.open([...UPGRADES, doubled])
        expect(await copy.find(NUMBER, 'n')).toBe(2)
      } finally {
        await elsewhere.remove()
      }
    })
  })
}
