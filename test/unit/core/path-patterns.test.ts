import { describe, expect, it } from 'vitest'
import { isIgnored } from '../../../src/core/builds/path-patterns.ts'

describe('a pattern of a filter', () => {
  it.each([
    ['doc/readme.txt', 'doc/readme.txt'],
    ['doc/readme.txt', 'doc/*.txt'],
    ['doc/readme.txt', 'doc/*'],
    ['doc/readme.txt', '/doc/*'],
    ['/doc/readme.txt', 'doc/*'],
    ['doc/a/b/c.txt', 'doc/**/*.txt'],
    ['doc/c.txt', 'doc/**/*.txt'],
    ['c.txt', '**/*.txt'],
    ['a/b/c.txt', '**/*.txt'],
    ['a/b/c.txt', '**/**/**/*.txt'],
    ['a/b/c.txt', 'a/**'],
    ['a/b/c.txt', '**'],
    ['a/b/c.txt', '**/b/**'],
    ['a/b.c+(1).txt', 'a/b.c+(1).*'],
    ['a1', 'a?'],
    ['dir/é💡', 'dir/??'],
    ['//depot/a/b', '//depot/**'],
  ])('ignores %s by %s', (file, pattern) => {
    expect(isIgnored(file, [pattern])).toBe(true)
  })

  it.each([
    ['doc/readme.txt', '*.txt'],
    ['doc/readme.txt', 'doc'],
    ['doc/readme.txt', 'readme.txt'],
    ['doc/a/readme.txt', 'doc/*'],
    ['xdoc/c.txt', '**/doc/c.txt'],
    ['doc/xc.txt', 'doc/**/c.txt'],
    ['aXtxt', 'a.txt'],
    ['a/b', 'a?b'],
    ['a', ''],
  ])('does not ignore %s by %s', (file, pattern) => {
    expect(isIgnored(file, [pattern])).toBe(false)
  })

  it('ignores what any of several ignores', () => {
    expect(isIgnored('b', ['a', 'b'])).toBe(true)
    expect(isIgnored('b', [])).toBe(false)
  })

  it('is judged at once, however many ways there are through it', () => {
    const began = process.cpuUsage()

    expect(isIgnored('a'.repeat(4_000), [`${'*a'.repeat(60)}b`])).toBe(false)
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(1_000)
  })
})
