import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addConfigValues, findConfigValue } from '../../../src/git/git-config.ts'
import { tryGit } from '../../support/git/git.ts'
import { GitRepository } from '../../support/git/git-repository.ts'

/** The value that git itself reads in that text. */
function askGit(text: string, path: string): string | null {
  const asked = ['config', '--file', '-', '--null', '--get', path]
  const { status, stdout } = tryGit('/', asked, { input: text })
  return status === 0 ? stdout.toString().slice(0, -1) : null
}

describe('findConfigValue', () => {
  it.each([
    ['the last of several values', '[core]\n\tbare = true\n[core]\n\tbare = false\n', 'core.bare'],
    ['names in any case', '[CORE]\n\tAutoCRLF = Input\n', 'core.autocrlf'],
    ['a section with a name in it', '[remote "a.B \\"c\\""]\n\turl = x\n', 'remote.a.B "c".url'],
    ['a name in another case', '[remote "A"]\n\turl = x\n', 'remote.a.url'],
    ['a section with a point', '[remote.a]\n\turl = x\n', 'remote.a.url'],
    ['a setting behind its header', '[core] bare = true ; [user] name = no\n', 'core.bare'],
    ['a comment with a setting', '[core]\n# bare = true\n; bare = true\n', 'core.bare'],
    [
      'a comment behind a value',
      '[core]\n\teditor = vi # "quoted"\n\tpager = less\n',
      'core.pager',
    ],
    ['blanks and signs in quotes', '[core]\n\teditor = " a;b #c " d"e"  \n', 'core.editor'],
    ['what stands for other characters', '[core]\n\teditor = "a\\tb\\"\\\\" \\nc\n', 'core.editor'],
    ['a value on two lines', '[core]\n\teditor = a \\\n  b\n\tpager = less\n', 'core.editor'],
    ['a value that begins on the next line', '[core]\n\teditor = \\\n  b\n', 'core.editor'],
    ['an empty value', '[core]\n\teditor =\n\tpager = less\n', 'core.editor'],
    ['lines with a carriage return', '[core]\r\n\teditor = vi\r\n', 'core.editor'],
    ['a setting of another section', '[user]\n\teditor = vi\n', 'core.editor'],
    ['no text at all', '', 'core.editor'],
  ])('reads %s as git does', (_, text, path) => {
    expect(findConfigValue(text, path)).toBe(askGit(text, path))
  })

  it('takes a setting without a value for true', () => {
    expect(findConfigValue('[core]\n\tbare\n\tfilemode = false\n', 'core.bare')).toBe('true')
  })

  it('reads whatever git has written', () => {
    using repository = new GitRepository()
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,8}$/)
    const between = fc.stringMatching(/^[ -~]{0,8}$/)
    const value = fc.stringMatching(/^[ -~\n\t]{0,12}$/)

    fc.assert(
      fc.property(name, between, name, value, (section, middle, variable, given) => {
        const path = [section, ...(middle === '' ? [] : [middle]), variable].join('.')
        repository.git('config', path, given)
        const text = readFileSync(join(repository.gitDir, 'config'), 'utf8')

        expect(findConfigValue(text, path)).toBe(given)
      }),
      { numRuns: 40 },
    )
  })
})

describe('addConfigValues', () => {
  it.each([
    ['no text at all', ''],
    ['a line without an end', '[core]\n\tbare = false'],
    ['a section of the same name', '[receive]\n\tfsckObjects = true\n[core]\n\tbare = false\n'],
    ['another value', '[receive]\n\thideRefs = refs/own\n'],
    ['lines with a carriage return', '[core]\r\n\tbare = false\r\n'],
    ['a comment at the end', '[core]\n\tbare = false\n# receive.hideRefs = no'],
  ])('adds to %s what git reads', (_, text) => {
    const added = addConfigValues(text, [
      ['receive.hideRefs', 'refs/proposals'],
      ['pack.depth', '20'],
    ])

    expect(askGit(added, 'receive.hideRefs')).toBe('refs/proposals')
    expect(askGit(added, 'pack.depth')).toBe('20')
    for (const path of ['core.bare', 'receive.fsckObjects']) {
      expect(askGit(added, path)).toBe(askGit(text, path))
    }
  })
})
