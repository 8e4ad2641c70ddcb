import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EditScript, editScript } from '../../../src/diff/edit-script.ts'
import { textLinesOf } from '../../../src/document/text/text-lines.ts'
import { withWholeElements } from '../../../src/pages/code/whole-elements.ts'

const VARIABLES = ['A', 'B', 'C'].flatMap((name) => [
  `  <variable name="${name}">`,
  '    <value>1</value>',
  '  </variable>',
])

/** A script whose only change is not yet where it should be. */
function scriptOf(before: readonly string[], after: readonly string[], at?: number): EditScript {
  const script = editScript(bytes(before), bytes(after))
  if (at === undefined) return script
  const size = after.length - before.length
  const moved = { before: { start: at, end: at }, after: { start: at, end: at + size } }
  return { ...script, changes: [moved] }
}

function bytes(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''))
}

function slid(before: readonly string[], after: readonly string[], at?: number): EditScript {
  const script = scriptOf(before, after, at)
  return withWholeElements(script, {
    before: textLinesOf(bytes(before), script.before.count),
    after: textLinesOf(bytes(after), script.after.count),
  })
}

/** The older text with the changes made. */
function applied(before: readonly string[], after: readonly string[], script: EditScript) {
  const lines: string[] = []
  let at = 0
  for (const change of script.changes) {
    lines.push(...before.slice(at, change.before.start))
    lines.push(...after.slice(change.after.start, change.after.end))
    at = change.before.end
  }
  return [...lines, ...before.slice(at)]
}

describe('changed lines', () => {
  const before = [...VARIABLES.slice(0, 3), ...VARIABLES.slice(6)]

  it.each([2, 3])('are moved to where they are whole elements, from line %i', (at) => {
    const { changes } = slid(before, VARIABLES, at)

    expect(changes.map(({ after }) => after)).toEqual([{ start: 3, end: 6 }])
  })

  it('leave the lines that are replaced above them to be whole elements', () => {
    const [opening = '', , closing = '', ...others] = VARIABLES
    const older = [opening, '    <value>2</value>', closing]
    const newer = [opening, '    <value>3</value>', closing, ...others]
    const changed = { start: 1, end: 2 }

    const added = [
      { before: changed, after: changed },
      { before: { start: 3, end: 3 }, after: { start: 3, end: 9 } },
    ]
    expect(slid(older, newer).changes).toEqual(added)
    const removed = added.map((change) => ({ before: change.after, after: change.before }))
    expect(slid(newer, older).changes).toEqual(removed)
  })

  it('stay where they are when they never are whole', () => {
    const { changes } = slid(['<a>', '</a>'], ['<a>', '<b>', '</a>'])

    expect(changes.map(({ after }) => after)).toEqual([{ start: 1, end: 2 }])
  })

  it('make the same newer text, wherever they are moved', () => {
    const line = fc.constantFrom('<a>', '</a>', '<b/>', '<a>x</a>', '')
    const text = fc.array(line, { maxLength: 30 })

    fc.assert(
      fc.property(text, text, (one, other) => {
        const script = slid(one, other)
        expect(applied(one, other, script)).toEqual(other)
        for (const [n, change] of script.changes.entries()) {
          const next = script.changes[n + 1]
          expect(change.after.end).toBeLessThan(next?.after.start ?? Infinity)
        }
      }),
      { numRuns: 500 },
    )
  })
})
