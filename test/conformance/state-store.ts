import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { DocumentKind } from '../../src/core/document-kind.ts'
import type { StateStore } from '../../src/state/state-store.ts'
import type { Upgrade } from '../../src/state/upgrades.ts'
import { UPGRADES } from '../../src/state/upgrades.ts'

/** Where one store lives, empty at first. */
export interface StatePlace {
  open(upgrades?: readonly Upgrade[]): Promise<StateStore>
  load(lines: AsyncIterable<string>, upgrades?: readonly Upgrade[]): Promise<void>
  remove(): Promise<void>
}

const Note = z.object({ text: z.string(), tags: z.array(z.string()).readonly() })
const NOTE: DocumentKind<z.infer<typeof Note>> = { name: 'note', schema: Note }
const NUMBER: DocumentKind<number> = { name: 'number', schema: z.number() }
const TEXT: DocumentKind<string> = { name: 'note', schema: z.string() }

const doubled: Upgrade = async (query) => {
  await query("UPDATE document SET json = '2' WHERE kind = 'number' AND json = '1'")
}

const broken: Upgrade = async (query) => {
  await query("UPDATE document SET json = '3' WHERE kind = 'number'")
  throw new RangeError('on purpose')
}

/** What every engine under the state store has to honour. */
export function describeStateStore(where: string, freshPlace: () => Promise<StatePlace>): void {
  describe(`state store (${where})`, () => {
    let place: StatePlace
    let store: StateStore

    beforeEach(async () => {
      place = await freshPlace()
      store = await place.open()
    })

    afterEach(async () => {
      await store[Symbol.asyncDispose]()
      await place.remove()
    })

    async function reopened(): Promise<StateStore> {
      await store[Symbol.asyncDispose]()
      store = await place.open()
      return store
    }

    describe('documents', () => {
      it('answers null for a document that was never put', async () => {
        expect(await store.find(NOTE, 'none')).toBeNull()
      })

      it('keeps a document over a restart, character for character', async () => {
        const note = {
          text: 'tab\t nul\0 quote" back\\ newline\n ü 漢 😀 \u2028 \ud800',
          tags: ['a', ''],
        }

        await store.change((tx) => tx.put(NOTE, 'odd/keys häve 漢 😀 and \' " ? % _', note))

        expect(await (await reopened()).find(NOTE, 'odd/keys häve 漢 😀 and \' " ? % _')).toEqual(
          note,
        )
      })

      it('replaces a document put twice and forgets one removed', async () => {
        await store.change(async (tx) => {
          await tx.put(NUMBER, 'replaced', 1)
          await tx.put(NUMBER, 'replaced', 2)
          await tx.put(NUMBER, 'removed', 3)
        })
        await store.change((tx) => tx.remove(NUMBER, 'removed'))

        expect(await store.list(NUMBER)).toEqual([{ key: 'replaced', value: 2 }])
      })

      it('keeps kinds apart under the same key', async () => {
        await store.change(async (tx) => {
          await tx.put(NUMBER, 'same', 1)
          await tx.put(NOTE, 'same', { text: 'two', tags: [] })
        })

        expect(await store.find(NUMBER, 'same')).toBe(1)
        expect(await store.find(NOTE, 'same')).toEqual({ text: 'two', tags: [] })
      })

      it('lists a prefix by key, in the order of the bytes', async () => {
        const keys = ['a/', 'a/10', 'a/9', 'a/B', 'a/b', 'a/é', 'a/😀', 'a0', 'b', 'A/1']
        await store.change(async (tx) => {
          for (const key of keys.toReversed()) await tx.put(NUMBER, key, 1)
        })

        const listed = await store.list(NUMBER, 'a/')

        expect(listed.map(({ key }) => key)).toEqual(keys.slice(0, 7))
      })

      it('finds many in the order they are asked for and leaves out the absent', async () => {
        const keys = Array.from({ length: 200 }, (_, n) => `k${n}`)
        await store.change(async (tx) => {
          for (const [n, key] of keys.entries()) await tx.put(NUMBER, key, n)
        })

        const asked = ['none', ...keys.toReversed(), 'k7']

        expect(await store.findMany(NUMBER, asked)).toEqual([...keys.keys()].toReversed().concat(7))
        expect(await store.findMany(NUMBER, [])).toEqual([])
      })

      it('refuses to read a document that has another form', async () => {
        await store.change((tx) => tx.put(TEXT, 'wrong', 'not a note'))

        await expect(store.find(NOTE, 'wrong')).rejects.toMatchObject({ code: 'unavailable' })
      })

      it.each(['nul\0', 'half \ud800'])('refuses the key %j', async (key) => {
        await expect(store.change((tx) => tx.put(NUMBER, key, 1))).rejects.toThrow(RangeError)
      })
    })

    describe('changes', () => {
      it('see their own writes, which nobody else sees before the commit', async () => {
        const seen = await store.change(async (tx) => {
          await tx.put(NUMBER, 'n', 1)
          return { inside: await tx.find(NUMBER, 'n'), outside: await store.find(NUMBER, 'n') }
        })

        expect(seen).toEqual({ inside: 1, outside: null })
        expect(await store.find(NUMBER, 'n')).toBe(1)
      })

      it('leave nothing behind when they throw', async () => {
        const attempt = store.change(async (tx) => {
          await tx.put(NUMBER, 'n', 1)
          await tx.next('ids')
          await tx.append('list', 'n')
          throw new RangeError('on purpose')
        })

        await expect(attempt).rejects.toThrow('on purpose')
        expect(await store.find(NUMBER, 'n')).toBeNull()
        expect(await store.counter('ids')).toBe(0)
        expect(await store.page(NUMBER, 'list', { offset: 0, limit: 10 })).toEqual({
          total: 0,
          items: [],
        })
      })

      it('fail alone among those asked for in the same turn', async () => {
        const outcomes = await Promise.allSettled(
          Array.from({ length: 9 }, (_, n) =>
            store.change(async (tx) => {
              await tx.put(NUMBER, `n${n}`, await tx.next('ids'))
              if (n % 3 === 1) throw new RangeError('on purpose')
            }),
          ),
        )

        const stored = await store.list(NUMBER)
        expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
          outcomes.map((_, n) => n % 3 !== 1),
        )
        expect(stored.map(({ key }) => key)).toEqual(['n0', 'n2', 'n3', 'n5', 'n6', 'n8'])
        expect(stored.map(({ value }) => value)).toEqual([1, 2, 3, 4, 5, 6])
      })

      it('fail alone when it is the engine that refuses their statement', async () => {
        const refused = store.change(async (tx) => {
          await tx.put(NUMBER, 'lost', 1)
          await tx.next('ids', Number.NaN)
        })
        const healthy = store.change((tx) => tx.put(NUMBER, 'kept', 1))

        await expect(refused).rejects.toThrow(Error)
        await healthy
        expect(await store.list(NUMBER)).toEqual([{ key: 'kept', value: 1 }])
      })

      it('are refused once the store is closed, and those before are finished', async () => {
        const before = store.change((tx) => tx.put(NUMBER, 'n', 1))
        const closed = store[Symbol.asyncDispose]()

        await expect(store.change((tx) => tx.put(NUMBER, 'n', 2))).rejects.toMatchObject({
          code: 'unavailable',
        })
        await Promise.all([before, closed])
        store = await place.open()
        expect(await store.find(NUMBER, 'n')).toBe(1)
      })
    })

    describe('counters', () => {
      it('begin at one and go on after a restart', async () => {
        expect(await store.change((tx) => tx.next('a'))).toBe(1)
        expect(await store.change((tx) => tx.next('a', 3))).toBe(2)

        expect(await (await reopened()).change((tx) => tx.next('a'))).toBe(5)
        expect(await store.counter('a')).toBe(5)
        expect(await store.counter('b')).toBe(0)
      })

      it('never give a number twice to two writers on one store', async () => {
        await using other = await place.open()

        const taken = await Promise.all(
          Array.from({ length: 100 }, (_, n) =>
            (n % 2 ? store : other).change((tx) => tx.next('shared')),
          ),
        )

        expect(taken.toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: 100 }, (_, n) => n + 1),
        )
      })
    })

    describe('lists', () => {
      it.each([
        { offset: 0, items: [25, 24, 23, 22, 21, 20, 19, 18, 17, 16] },
        { offset: 10, items: [15, 14, 13, 12, 11, 10, 9, 8, 7, 6] },
        { offset: 20, items: [5, 4, 3, 2, 1] },
        { offset: 24, items: [1] },
        { offset: 25, items: [] },
        { offset: 2 ** 40, items: [] },
      ])('of 25 have at offset $offset the items $items', async ({ offset, items }) => {
        await fill(store, 25)

        expect(await store.page(NUMBER, 'all', { offset, limit: 10 })).toEqual({ total: 25, items })
      })

      it('stay dense when two writers append at once', async () => {
        await using other = await place.open()
        await store.change((tx) => tx.put(NUMBER, 'n', 1))

        await Promise.all(
          Array.from({ length: 60 }, (_, n) =>
            (n % 2 ? store : other).change((tx) => tx.append('both', 'n')),
          ),
        )

        expect((await store.page(NUMBER, 'both', { offset: 59, limit: 10 })).items).toEqual([1])
        expect(await store.check([NUMBER])).toEqual([])
      })

      it('do not mix', async () => {
        await fill(store, 3)
        await store.change((tx) => tx.append('other', 'n2'))

        expect(await store.page(NUMBER, 'other', { offset: 0, limit: 10 })).toEqual({
          total: 1,
          items: [2],
        })
      })
    })

    describe('a check', () => {
      it('finds nothing wrong with a healthy store', async () => {
        await store.change(async (tx) => {
          await tx.put(NUMBER, 'n', 1)
          await tx.append('list', 'n')
        })

        expect(await store.check([NUMBER])).toEqual([])
      })

      it('names every document of another form or of no known kind', async () => {
        await store.change(async (tx) => {
          await tx.put(TEXT, 'wrong', 'not a note')
          await tx.put(NUMBER, 'n', 1)
        })

        const problems = await store.check([NOTE])

        expect(problems).toHaveLength(2)
        expect(problems[0]).toMatch(/^the note "wrong" /)
        expect(problems[1]).toBe('the number "n" is of no known kind')
      })
    })

    describe('a dump', () => {
      it('loaded elsewhere gives the same documents, orders and counters', async () => {
        const lines = await filled(store, 600)
        const elsewhere = await freshPlace()
        try {
          await elsewhere.load(streamed(lines))
          await using copy = await elsewhere.open()

          expect(await dumped(copy)).toEqual(lines)
          expect(await copy.change((tx) => tx.next('ids'))).toBe(42)
          expect(await copy.check([NUMBER, NOTE])).toEqual([])
        } finally {
          await elsewhere.remove()
        }
      })

      it('shows one moment while others write', async () => {
        await filled(store, 20)
        const before = await dumped(store)
        const write = () =>
          store.change(async (tx) => {
            await tx.put(NUMBER, 'zz', await tx.next('ids'))
          })

        const lines: string[] = []
        for await (const line of store.dump()) {
          if (lines.length === 1) await write()
          lines.push(line)
        }

        expect(lines).toEqual(before)
      })

      it.each([
        { damage: 'cut short', of: (lines: string[]) => lines.slice(0, -1) },
        { damage: 'without a line', of: (lines: string[]) => lines.toSpliced(5, 1) },
        { damage: 'without a version', of: (lines: string[]) => lines.slice(1) },
        {
          damage: 'with a torn line',
          of: (lines: string[]) => lines.with(9, lines[9]?.slice(4) ?? ''),
        },
        { damage: 'of a newer program', of: (lines: string[]) => lines.with(0, '{"version":99}') },
        { damage: 'that is empty', of: () => [] },
      ])('$damage is refused and leaves nothing', async ({ of }) => {
        const lines = of(await filled(store, 20))
        const elsewhere = await freshPlace()
        try {
          await expect(elsewhere.load(streamed(lines))).rejects.toMatchObject({
            code: 'unavailable',
          })
          await using empty = await elsewhere.open()
          expect(await empty.list(NUMBER)).toEqual([])
        } finally {
          await elsewhere.remove()
        }
      })

      it('is not loaded over what is there', async () => {
        const lines = await filled(store, 20)

        await expect(place.load(streamed(lines))).rejects.toMatchObject({ code: 'unavailable' })
        expect(await dumped(store)).toEqual(lines)
      })
    })

    describe('versions', () => {
      it('are upgraded when the store is opened, once', async () => {
        await store.change((tx) => tx.put(NUMBER, 'n', 1))
        await store[Symbol.asyncDispose]()

        store = await place.open([...UPGRADES, doubled])
        expect(await store.find(NUMBER, 'n')).toBe(2)
        await store.change((tx) => tx.put(NUMBER, 'n', 1))
        await store[Symbol.asyncDispose]()

        store = await place.open([...UPGRADES, doubled])
        expect(await store.find(NUMBER, 'n')).toBe(1)
      })

      it('stay as they were when an upgrade fails', async () => {
        await store.change((tx) => tx.put(NUMBER, 'n', 1))
        await store[Symbol.asyncDispose]()

        await expect(place.open([...UPGRADES, broken])).rejects.toThrow('on purpose')

        store = await place.open()
        expect(await store.find(NUMBER, 'n')).toBe(1)
      })

      it('newer than the program are refused', async () => {
        await store[Symbol.asyncDispose]()
        store = await place.open([...UPGRADES, doubled])

        await expect(place.open()).rejects.toMatchObject({ code: 'unavailable' })
      })

      it('of an older dump are upgraded as it is loaded', async () => {
        await store.change((tx) => tx.put(NUMBER, 'n', 1))
        const elsewhere = await freshPlace()
        try {
          await elsewhere.load(store.dump(), [...UPGRADES, doubled])
          await using copy = await elsewhere.open([...UPGRADES, doubled])
          expect(await copy.find(NUMBER, 'n')).toBe(2)
        } finally {
          await elsewhere.remove()
        }
      })
    })
  })
}

async function fill(store: StateStore, count: number): Promise<void> {
  await store.change(async (tx) => {
    for (let n = 1; n <= count; n += 1) {
      await tx.put(NUMBER, `n${n}`, n)
      await tx.append('all', `n${n}`)
    }
  })
}

async function dumped(from: StateStore): Promise<string[]> {
  const lines: string[] = []
  for await (const line of from.dump()) lines.push(line)
  return lines
}

async function* streamed(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

async function filled(store: StateStore, count: number): Promise<string[]> {
  await store.change(async (tx) => {
    await tx.next('ids', 41)
    for (let n = 1; n <= count; n += 1) {
      await tx.put(NUMBER, `n${n}`, n)
      await tx.append(`list ${n % 2}`, `n${n}`)
    }
    await tx.put(NOTE, 'odd', { text: '\n\0 \u2028 __proto__', tags: ['😀'] })
  })
  return dumped(store)
}
