import { describe, expect, it } from 'vitest'
import { DiffPool } from '../../../src/diff/diff-pool.ts'
import { editScript } from '../../../src/diff/edit-script.ts'
import { unifiedDiff } from '../../../src/diff/unified.ts'
import { applyHunks } from '../../support/documents/apply-hunks.ts'

/** Two texts of that many lines each, few of which are common. */
function unrelated(lines: number) {
  const text = (factor: number) =>
    Buffer.from(Array.from({ length: lines }, (_, n) => `${(n * factor) % 9973}\n`).join(''))
  return { before: text(7919), after: text(6007) }
}

describe('a diff pool', () => {
  it('gives the same diff from a thread as at once', async () => {
    await using pool = new DiffPool({ inlineLimit: 0 })
    const { before, after } = unrelated(300)

    const hunks = await pool.unified(before, after, { context: 1 })
    const script = await pool.script(before, after)

    expect(Buffer.from(hunks)).toEqual(Buffer.from(unifiedDiff(before, after, { context: 1 })))
    expect(script.changes).toEqual(editScript(before, after).changes)
    expect(script.after.starts).toEqual(editScript(before, after).after.starts)
  })

  it.each([
    { size: 'long', inlineLimit: 0 },
    { size: 'short', inlineLimit: 2 ** 20 },
  ])(
    'gives the same script for $size neighbours, whose lines it knows',
    async ({ inlineLimit }) => {
      await using pool = new DiffPool({ inlineLimit, threads: 1 })
      const lines = Array.from({ length: 3_000 }, (_, n) => `the line ${n % 700} of a text\n`)
      const textWith = (change: (lines: string[]) => void) => {
        const changed = [...lines]
        change(changed)
        return Buffer.from(changed.join(''))
      }
      const texts = [
        textWith(() => {}),
        textWith((all) => all.splice(1_500, 1, 'another\n')),
        textWith((all) => all.splice(1_500, 3)),
        textWith((all) => all.splice(2_000, 0, 'one\n', 'two\n')),
        textWith((all) => all.splice(2_999, 1, 'without an end')),
        textWith((all) => all.splice(0, 2, 'first\n')),
        textWith((all) => all.splice(10, 3, 'the line 12 of a text\n', 'b\n')),
      ]
      for (const [n, after] of texts.slice(1).entries()) {
        const before = texts[n] ?? Buffer.alloc(0)

        const script = await pool.script(before, after)

        // Of copies, whose lines nobody knows.
        const expected = editScript(Buffer.from(before), Buffer.from(after))
        expect(script.changes).toEqual(expected.changes)
        expect(script.after.starts).toEqual(expected.after.starts)
        expect(script.before.starts).toEqual(expected.before.starts)
      }
    },
  )

  it('needs no thread for a small change of known lines, however often its lines occur elsewhere', async () => {
    const lines = Array.from({ length: 40_000 }, (_, n) =>
      n % 8 === 0 ? `<item name="${n}">\n` : `  ${'x'.repeat(n % 8)}\n`,
    )
    const textWith = (place: number, more: readonly string[], removed = 1) =>
      Buffer.from(lines.toSpliced(place, removed, ...more).join(''))
    const rewritten = Array.from({ length: 17 }, (_, n) => (n === 8 ? '  xxx\n' : `new ${n}\n`))
    const base = Buffer.from(lines.join(''))
    const edits = [
      textWith(20_000, [...lines.slice(20_003, 20_020), 'new\n', ...lines.slice(20_008, 20_017)]),
      textWith(20_008, ['\n', ...lines.slice(20_000, 20_030)]),
      textWith(0, [...lines.slice(1, 9), '\n', ...lines.slice(1, 9)]),
      textWith(39_999, [...lines.slice(39_990, 39_999), '  xxx']),
      textWith(20_000, rewritten, rewritten.length),
    ]
    const pool = new DiffPool({ inlineLimit: 0, threads: 1 })
    await pool.script(Buffer.from('another\n'), base)
    await pool.close()

    for (const edit of edits) {
      const { changes } = await pool.script(base, edit)

      expect(changes).toEqual(editScript(base, edit).changes)
    }
  })

  it('leaves the texts usable, although threads take over memory', async () => {
    await using pool = new DiffPool({ inlineLimit: 0 })
    const { before, after } = unrelated(10)

    await pool.unified(before, after)

    expect(before.toString()).toMatch(/^0\n7919\n/)
    expect(after.length).toBeGreaterThan(0)
  })

  it('makes a coarse but correct diff when the time is over, and works on afterwards', async () => {
    await using pool = new DiffPool({ inlineLimit: 0, timeLimit: 1, threads: 1 })
    const { before, after } = unrelated(400_000)

    const script = await pool.script(before, after)
    const hunks = await pool.unified(before.subarray(0, 5000), after.subarray(0, 5000))

    expect(script.changes).toHaveLength(1)
    expect(applyHunks(before.toString('latin1', 0, 5000), Buffer.from(hunks).toString())).toBe(
      after.toString('latin1', 0, 5000),
    )
  })

  it('serves more diffs at once than it has threads', async () => {
    await using pool = new DiffPool({ inlineLimit: 0, threads: 1 })

    const texts = Array.from({ length: 5 }, (_, n) => unrelated(20 + n))
    const answers = await Promise.all(texts.map(({ before, after }) => pool.unified(before, after)))

    expect(answers.map((hunks) => Buffer.from(hunks).toString())).toEqual(
      texts.map(({ before, after }) => Buffer.from(unifiedDiff(before, after)).toString()),
    )
  })

  it('refuses what is unfinished when it is closed', async () => {
    const pool = new DiffPool({ inlineLimit: 0, threads: 1 })
    const { before, after } = unrelated(400_000)

    const outcomes = Promise.allSettled([pool.unified(before, after), pool.script(before, after)])
    await pool.close()

    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
