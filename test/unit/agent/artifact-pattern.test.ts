import { describe, expect, it } from 'vitest'
import { parseArtifactPattern } from '../../../src/agent/job/find-artifacts.ts'

describe('an artifact pattern', () => {
  it.each([
    ['target/app.jar', 'target/app.jar'],
    ['./target//app.jar/', 'target/app.jar'],
    ['a (1)/b+c', 'a (1)/b+c'],
  ])('without wildcards names a place: %s', (src, base) => {
    expect(parseArtifactPattern(src)).toEqual({ base, matches: null })
  })

  it.each([
    ['target/*.jar', 'target', ['a.jar', '.jar'], ['x/a.jar', 'a.jar.txt']],
    ['**/*.jar', '', ['a.jar', 'x/a.jar', 'x/y/a.jar'], ['a.jar/x', 'a.txt']],
    ['out/**', 'out', ['a', 'x/y/a'], ['']],
    ['out/**/x/?.t', 'out', ['x/a.t', 'q/r/x/b.t'], ['x/.t', 'x/ab.t', 'y/a.t', 'ax/a.t']],
    ['logs/*/', 'logs', ['a/b', 'a/b/c'], ['a']],
    ['a.b/c*.(1)+[x]', 'a.b', ['c.(1)+[x]', 'cc.(1)+[x]'], ['c.1+x', 'cx(1)+[x]']],
    ['a/***b', 'a', ['b', 'xb'], ['x/b']],
    ['**/a/**/b/**', '', ['a/b/c', 'x/a/y/z/b/c/d'], ['a/b', 'b/a/c', 'a/xb/c']],
    ['*a*b?', '', ['abc', 'xaxbbc', 'aabab\n'], ['ab', 'bac', 'abcd', 'x/abc']],
  ])('with wildcards selects below its fixed part: %s', (src, base, yes, no) => {
    const pattern = parseArtifactPattern(src)

    expect(pattern.base).toBe(base)
    expect(yes.filter((path) => !pattern.matches?.(path))).toEqual([])
    expect(no.filter((path) => pattern.matches?.(path))).toEqual([])
  })
})
