import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quotedWords, shellWords } from '../../../src/core/service/command-words.ts'

function wordsOf(line: string): readonly string[] | null {
  const split = shellWords(line)
  return split.ok ? split.words : null
}

describe('shellWords', () => {
  it.each([
    ['make', ['make']],
    ['  make   all\ttest\n', ['make', 'all', 'test']],
    [`sh -c 'echo "a b"'`, ['sh', '-c', 'echo "a b"']],
    [`a"b c"'d e'f`, ['ab cd ef']],
    [`a '' ""`, ['a', '', '']],
    [String.raw`a\ b \\ \" "\" \\ \n" '\n'`, ['a b', '\\', '"', String.raw`" \ \n`, '\\n']],
    ['', []],
  ])('splits %j', (line, words) => {
    expect(wordsOf(line)).toEqual(words)
  })

  it.each([`a "b`, `a 'b`, `a "b\\"`, 'a \\'])('refuses %j', (line) => {
    expect(wordsOf(line)).toBeNull()
  })

  it.each([
    ['sh build.sh && echo done', '&&'],
    ['a||b', '||'],
    ['make | tee log', '|'],
    ['make>log', '>'],
    ['make 2>&1', '>&'],
    ['make >> log', '>>'],
    ['cat < in', '<'],
    ['a; b', ';'],
    ['sleep 5 &', '&'],
    ['(cd x)', '('],
    ['echo $(date)', '$('],
    ['echo `date`', '`'],
    ['a\nb', 'a line break'],
  ])('refuses %j, which is for a shell, by name', (line, operator) => {
    const split = shellWords(line)

    expect(split.ok ? split.words : split.message).toContain(`${operator} outside quotes`)
    expect(split.ok ? '' : split.message).toContain("sh -c '")
  })

  it.each([
    [`sh -c 'a && b | c > d; e'`, ['sh', '-c', 'a && b | c > d; e']],
    [`echo "&&" \\| $HOME '\n'`, ['echo', '&&', '|', '$HOME', '\n']],
  ])('takes operators in quotes as words in %j', (line, words) => {
    expect(wordsOf(line)).toEqual(words)
  })

  it('agrees with the shell', () => {
    const unit = fc.constantFrom('a', 'b', ' ', ' ', '"', "'", '\\', '-')
    const lines = fc.sample(fc.string({ unit, maxLength: 16 }), { numRuns: 600, seed: 7 })
    const accepted = lines.filter((line) => wordsOf(line) !== null)

    const script = accepted.map((line) => `printf '[%s]' ${line}; printf '\\n'`).join('\n')
    const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })

    expect(accepted.length).toBeGreaterThan(150)
    expect(stdout.trimEnd().split('\n')).toEqual(
      accepted.map((line) => {
        const words = wordsOf(line) ?? []
        return words.length === 0 ? '[]' : words.map((word) => `[${word}]`).join('')
      }),
    )
  })
})

describe('quotedWords', () => {
  it.each([
    [' one\ttwo ', ['one', 'two']],
    [`-c 'mkdir -p d; echo a > d/a.txt'`, ['-c', 'mkdir -p d; echo a > d/a.txt']],
    [`<%s> a '' b ""`, ['<%s>', 'a', '', 'b', '']],
    [`NAME='one two'x"three 'four'"`, [`NAME=one twoxthree 'four'`]],
    [String.raw`C:\a "C:\Program Files\" '\'`, ['C:\\a', 'C:\\Program Files\\', '\\']],
    ['a && b', ['a', '&&', 'b']],
  ])('splits %j', (text, words) => {
    expect(quotedWords(text)).toEqual({ ok: true, words })
  })

  it.each([
    [`it's`, 'has a single quote that is not closed'],
    [`"a' b`, 'has a double quote that is not closed'],
  ])('refuses %j', (text, message) => {
    expect(quotedWords(text)).toEqual({ ok: false, message })
  })
})
