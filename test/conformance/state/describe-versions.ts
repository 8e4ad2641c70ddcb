import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Upgrade, UPGRADES } from '../../../src/state/upgrades.ts'
import { NUMBER } from './notes.ts'
import { openedState, type StatePlace } from './state-place.ts'

/** Runs by their ids, keys, and the revisions that scheduled them; the last did not record it. */
const RUNS = [
  [12, 'app/10', 'one'],
  [1, 'app/2', 'one'],
  [2, 'app/3', 'two'],
  [3, 'lib/1', 'one'],
  [4, 'lib/2', null],
] as const

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

    it('list the runs of all pipelines by the revision that scheduled them', async () => {
      const RUN = { name: 'pipeline', schema: z.looseObject({ id: z.int() }) }
      const elsewhere = await freshPlace()
      try {
        const older = await elsewhere.open(UPGRADES.slice(0, 2))
        await older.change(async (tx) => {
          for (const [id, key, commit] of RUNS) {
            await tx.put(RUN, key, { id, configuration: commit && { commit, digest: 'd' } })
          }
        })
        await older[Symbol.asyncDispose]()
        await using store = await elsewhere.open()
        const listOf = async (commit: string) => {
          const first = { offset: 0, limit: 10 }
          const { total, items } = await store.page(RUN, `revision/${commit}`, first)
          return { total, ids: items.map(({ id }) => id) }
        }

        expect(await listOf('one')).toEqual({ total: 3, ids: [12, 3, 1] })
        expect(await listOf('two')).toEqual({ total: 1, ids: [2] })
        await store.change(async (tx) => {
          await tx.put(RUN, 'app/11', { id: 13, configuration: { commit: 'one' } })
          await tx.append('revision/one', 'app/11')
        })
        expect(await listOf('one')).toEqual({ total: 4, ids: [13, 12, 3, 1] })
      } finally {
        await elsewhere.remove()
      }
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
