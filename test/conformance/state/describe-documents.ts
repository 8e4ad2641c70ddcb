import { describe, expect, it } from 'vitest'
import { NOTE, NUMBER, TEXT } from './notes.ts'
import { openedState, type StatePlace } from './state-place.ts'

/** Describes how a store handles single documents. */
export function describeDocuments(freshPlace: () => Promise<StatePlace>): void {
  describe('documents', () => {
    const at = openedState(freshPlace)

    it('answers null for a document that was never put', async () => {
      expect(await at.store.find(NOTE, 'none')).toBeNull()
    })

    it('keeps a document over a restart, character for character', async () => {
      const note = {
        text: 'tab\t nul\0 quote" back\\ newline\n ü 漢 😀 \u2028 \ud800',
        tags: ['a', ''],
      }

      await at.store.change((tx) => tx.put(NOTE, 'odd/keys häve 漢 😀 and \' " ? % _', note))

      expect(await (await at.reopened()).find(NOTE, 'odd/keys häve 漢 😀 and \' " ? % _')).toEqual(
        note,
      )
    })

    it('replaces a document put twice and forgets one removed', async () => {
      await at.store.change(async (tx) => {
        await tx.put(NUMBER, 'replaced', 1)
        await tx.put(NUMBER, 'replaced', 2)
        await tx.put(NUMBER, 'removed', 3)
      })
      await at.store.change((tx) => tx.remove(NUMBER, 'removed'))

      expect(await at.store.list(NUMBER)).toEqual([{ key: 'replaced', value: 2 }])
    })

    it('keeps kinds apart under the same key', async () => {
      await at.store.change(async (tx) => {
        await tx.put(NUMBER, 'same', 1)
        await tx.put(NOTE, 'same', { text: 'two', tags: [] })
      })

      expect(await at.store.find(NUMBER, 'same')).toBe(1)
      expect(await at.store.find(NOTE, 'same')).toEqual({ text: 'two', tags: [] })
    })

    it('lists a prefix by key, in the order of the bytes', async () => {
      const keys = ['a/', 'a/10', 'a/9', 'a/B', 'a/b', 'a/é', 'a/😀', 'a0', 'b', 'A/1']
      await at.store.change(async (tx) => {
        for (const key of keys.toReversed()) await tx.put(NUMBER, key, 1)
      })

      const listed = await at.store.list(NUMBER, 'a/')

      expect(listed.map(({ key }) => key)).toEqual(keys.slice(0, 7))
    })

    it('lets others have their turn while it finds thousands', async () => {
      const tags = Array.from({ length: 200 }, (_, n) => `tag ${n}`)
      const keys = Array.from({ length: 2_000 }, (_, n) => `note ${n}`)
      await at.store.change(async (tx) => {
        for (const text of keys) await tx.put(NOTE, text, { text, tags })
      })
      let turns = 0
      const count = () => {
        turns += 1
        next = setImmediate(count)
      }
      let next = setImmediate(count)

      const found = await at.store.findMany(NOTE, keys.toReversed())

      clearImmediate(next)
      expect(found.map(({ text }) => text)).toEqual(keys.toReversed())
      expect(turns).toBeGreaterThan(2)
    })

    it('finds many in the order they are asked for and leaves out the absent', async () => {
      const keys = Array.from({ length: 200 }, (_, n) => `k${n}`)
      await at.store.change(async (tx) => {
        for (const [n, key] of keys.entries()) await tx.put(NUMBER, key, n)
      })

      const asked = ['none', ...keys.toReversed(), 'k7']

      expect(await at.store.findMany(NUMBER, asked)).toEqual(
        [...keys.keys()].toReversed().concat(7),
      )
      expect(await at.store.findMany(NUMBER, [])).toEqual([])
    })

    it('refuses to read a document that has another form', async () => {
      await at.store.change((tx) => tx.put(TEXT, 'wrong', 'not a note'))

      await expect(at.store.find(NOTE, 'wrong')).rejects.toMatchObject({ code: 'unavailable' })
    })

    it.each(['nul\0', 'half \ud800'])('refuses the key %j', async (key) => {
      await expect(at.store.change((tx) => tx.put(NUMBER, key, 1))).rejects.toThrow(RangeError)
    })
  })
}
