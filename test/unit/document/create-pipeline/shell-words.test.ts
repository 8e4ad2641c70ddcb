import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shellWords } from '../../../../src/document/create-pipeline/split-command.ts'

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
