import { describe, expect, it } from 'vitest'
import { filled, dumped, streamed, NOTE, NUMBER, TEXT } from './notes.ts'
import { openedState, type StatePlace } from './state-place.ts'

/** Describes checks, dumps, and loads into another store. */
export function describeDumps(freshPlace: () => Promise<StatePlace>): void {
  describe('a check', () => {
    const at = openedState(freshPlace)

    it('finds nothing wrong with a healthy at.store', async () => {
      await at.store.change(async (tx) => {
        await tx.put(NUMBER, 'n', 1)
        await tx.append('list', 'n')
      })

      expect(await at.store.check([NUMBER])).toEqual([])
    })

    it('names every document of another form or of no known kind', async () => {
      await at.store.change(async (tx) => {
        await tx.put(TEXT, 'wrong', 'not a note')
        await tx.put(NUMBER, 'n', 1)
      })

      const problems = await at.store.check([NOTE])

      expect(problems).toHaveLength(2)
      expect(problems[0]).toMatch(/^the note "wrong" /)
      expect(problems[1]).toBe('the number "n" is of no known kind')
    })
  })

  describe('a dump', () => {
    const at = openedState(freshPlace)

    it('loaded elsewhere gives the same documents, orders and counters', async () => {
      const lines = await filled(at.store, 600)
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
      await filled(at.store, 20)
      const before = await dumped(at.store)
      const write = () =>
        at.store.change(async (tx) => {
          await tx.put(NUMBER, 'zz', await tx.next('ids'))
        })

      const lines: string[] = []
      for await (const line of at.store.dump()) {
        if (lines.length === 1) await write()
        lines.push(line)
      }

      expect(lines).toEqual(before)
    })

    it.each([
      { damage: 'cut short', of: (lines: string[]) => lines.slice(0, -1) },
      { damage: 'without a line', of: (lines: string[]) => lines.toSpliced(5, 1) },
      { damage: 'that is there twice', of: (lines: string[]) => [...lines, ...lines] },
      { damage: 'without a version', of: (lines: string[]) => lines.slice(1) },
      {
        damage: 'with a torn line',
        of: (lines: string[]) => lines.with(9, lines[9]?.slice(4) ?? ''),
      },
      { damage: 'of a newer program', of: (lines: string[]) => lines.with(0, '{"version":99}') },
      { damage: 'that is empty', of: () => [] },
    ])('$damage is refused and leaves nothing', async ({ of }) => {
      const lines = of(await filled(at.store, 20))
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
      const lines = await filled(at.store, 20)

      await expect(at.place.load(streamed(lines))).rejects.toMatchObject({ code: 'unavailable' })
      expect(await dumped(at.store)).toEqual(lines)
    })
  })
}
