import { describe, expect, it } from 'vitest'
import { countLines, hunksOf } from '../../../src/diff/hunks.ts'
import { editScript } from '../../../src/diff/edit-script.ts'
import { type UnifiedOptions, unifiedDiff } from '../../../src/diff/unified.ts'

function diff(before: string, after: string, options?: UnifiedOptions): string {
  return Buffer.from(unifiedDiff(Buffer.from(before), Buffer.from(after), options)).toString()
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `line ${n + 1}\n`)
}

describe('a unified diff', () => {
  it('is empty for equal texts', () => {
    expect(diff('', '')).toBe('')
    expect(diff('a\nb', 'a\nb')).toBe('')
  })

  it('shows a changed line between three lines of context', () => {
    const before = numbered(20).join('')
    const after = before.replace('line 10\n', 'other\n')

    expect(diff(before, after)).toBe(
      [
        '@@ -7,7 +7,7 @@',
        ' line 7',
        ' line 8',
        ' line 9',
        '-line 10',
        '+other',
        ' line 11',
        ' line 12',
        ' line 13',
        '',
      ].join('\n'),
    )
  })

  it('leaves out a count of one, and names the line before an empty side', () => {
    expect(diff('', 'a\n')).toBe('@@ -0,0 +1 @@\n+a\n')
    expect(diff('a\nb\n', '')).toBe('@@ -1,2 +0,0 @@\n-a\n-b\n')
    expect(diff('a\n', 'b\n')).toBe('@@ -1 +1 @@\n-a\n+b\n')
    expect(diff('a\nb\n', 'a\nx\nb\n', { context: 0 })).toBe('@@ -1,0 +2 @@\n+x\n')
  })

  it('says where a last line feed is missing', () => {
    const mark = '\\ No newline at end of file'

    expect(diff('a', 'a\n')).toBe(`@@ -1 +1 @@\n-a\n${mark}\n+a\n`)
    expect(diff('a\nb', 'c\nb')).toBe(`@@ -1,2 +1,2 @@\n-a\n+c\n b\n${mark}\n`)
    expect(diff('a', 'b')).toBe(`@@ -1 +1 @@\n-a\n${mark}\n+b\n${mark}\n`)
  })

  it('takes carriage returns and NULs for ordinary bytes', () => {
    expect(diff('a\r\nb\n', 'a\nb\n')).toBe('@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n')
    expect(diff('a\rb\0\n', 'a\rc\0\n')).toBe('@@ -1 +1 @@\n-a\rb\0\n+a\rc\0\n')
  })

  it('joins changes whose context touches and parts those whose does not', () => {
    const lines = numbered(20)
    const change = (...at: number[]) => lines.map((line, n) => (at.includes(n) ? 'x\n' : line))

    const near = editScript(Buffer.from(lines.join('')), Buffer.from(change(4, 11).join('')))
    const far = editScript(Buffer.from(lines.join('')), Buffer.from(change(4, 12).join('')))

    expect(hunksOf(near)).toHaveLength(1)
    expect(hunksOf(far).map(({ before }) => before)).toEqual([
      { start: 1, end: 8 },
      { start: 9, end: 16 },
    ])
  })

  it('puts an added block where its indentation says it begins', () => {
    const before = '<a>\n  <job>\n    <one/>\n  </job>\n</a>\n'
    const after = '<a>\n  <job>\n    <two/>\n  </job>\n  <job>\n    <one/>\n  </job>\n</a>\n'

    expect(diff(before, after, { context: 1 })).toBe(
      '@@ -1,2 +1,5 @@\n <a>\n+  <job>\n+    <two/>\n+  </job>\n   <job>\n',
    )
  })

  it('can overlook white space', () => {
    const before = 'a b\n\tc\nlast'
    const after = 'a  b\nc \nlast\n'

    expect(diff(before, after, { whitespace: 'ignore' })).toBe('')
    expect(diff(before, `${after}d\n`, { whitespace: 'ignore', context: 0 })).toBe(
      '@@ -3,0 +4 @@\n+d\n',
    )
  })
})

describe('the line counts of a diff', () => {
  it('count what is removed and what is added', () => {
    const script = editScript(Buffer.from('a\nb\nc\n'), Buffer.from('a\nx\ny\nz\nc\n'))

    expect(countLines(script)).toEqual({ removed: 1, added: 3 })
  })
})
