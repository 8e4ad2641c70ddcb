import { describe, expect, it } from 'vitest'
import { isValueType, VALUE_TYPES } from '../../../../src/document/schema/value-types.ts'

function accepts(type: string, value: string): boolean {
  if (!isValueType(type)) throw new Error(`no type ${type}`)
  return VALUE_TYPES[type].accepts(value)
}

const SAMPLES: Readonly<Record<string, { yes: readonly string[]; no: readonly string[] }>> = {
  name: {
    yes: ['a', '_', '-', 'a.b', '9', 'x'.repeat(255)],
    no: ['', '.a', 'a b', 'é', 'a\n', '#{x}', 'x'.repeat(256)],
  },
  jobname: { yes: ['.a', 'a'], no: ['', 'a b', 'a/b'] },
  path: {
    yes: ['a', 'ab', 'a.b', 'a/../b', 'a b', '/'],
    no: ['', '.', '..', ' ', 'a.', '.a', ' a', 'a ', './a'],
  },
  path2: { yes: ['.a', './.a', 'a/b'], no: ['', '.', ' a', 'a '] },
  label: {
    yes: ['${COUNT}', '#{p}', 'a-${x[:7]}-#${y}', "1.!~*'()#:${a:b}"],
    no: ['', '1.0', 'a/${COUNT}', '${}', '${a b}', '${COUNT'],
  },
  command: {
    yes: ['a', 'a b', 'c:\\program files\\cmd.exe', 'a\u2028b'],
    no: ['', ' ', ' a', 'a ', 'a\nb'],
  },
  boolean: { yes: ['true', 'false', '1', '0', ' true\n'], no: ['', 'TRUE', 'yes', 'true false'] },
  integer: { yes: ['0', '-25', '+7', ' 8 '], no: ['', '1.0', 'a', '1e3'] },
  positive: { yes: ['1', '+007', ' 10 '], no: ['0', '00', '-1', '', '1.5'] },
  double: {
    yes: ['1', '-1.5', '.5', '5.', '1e3', '1E-3', 'NaN', 'INF', '-INF', ' 7 '],
    no: ['', 'a', '1,5', '.', 'Infinity', '0x1'],
  },
  email: { yes: ['@', 'a@b'], no: ['', 'ab'] },
  siteUrl: { yes: ['http://x', 'https://x'], no: ['', 'ftp://x', 'http://', 'xhttp://x'] },
  secureSiteUrl: { yes: ['https://x'], no: ['', 'http://x'] },
  optionalSiteUrl: { yes: ['', 'http://x'], no: ['x'] },
  optionalSecureSiteUrl: { yes: ['', 'https://x'], no: ['http://x'] },
  nospace: { yes: ['a', 'é'], no: ['', 'a b', '\t'] },
  nonblank: { yes: ['a', ' a ', 'a\nb'], no: ['', ' ', '\n\t'] },
  filled: { yes: ['a', ' ', '\n'], no: [''] },
  text: { yes: ['', 'anything\n'], no: [] },
  tabName: { yes: ['', 'x'.repeat(15), '𝄞'.repeat(15)], no: ['x'.repeat(16)] },
  upTo512: { yes: ['', 'x'.repeat(512)], no: ['x'.repeat(513)] },
  approvalType: { yes: ['success', 'manual'], no: ['', 'Manual', ' manual'] },
  runStatus: { yes: ['passed', 'failed', 'any'], no: ['never'] },
  lockBehavior: { yes: ['none'], no: ['true'] },
  artifactType: { yes: ['external'], no: ['log'] },
  artifactOrigin: { yes: ['gocd'], no: [''] },
  version: { yes: ['1', '139', ' +075'], no: ['0', '140', ''] },
}

const rows = Object.entries(SAMPLES).flatMap(([type, { yes, no }]) => [
  ...yes.map((value) => ({ type, value, verdict: true })),
  ...no.map((value) => ({ type, value, verdict: false })),
])

describe('value types', () => {
  it.each(rows)('$type and "$value": $verdict', ({ type, value, verdict }) => {
    expect(accepts(type, value)).toBe(verdict)
  })

  it('are all sampled here', () => {
    expect(Object.keys(SAMPLES).toSorted()).toEqual(Object.keys(VALUE_TYPES).toSorted())
  })

  it.each(Object.keys(VALUE_TYPES))('%s judges a long value at once', (type) => {
    const long = [
      '${a}'.repeat(20_000),
      'a '.repeat(50_000),
      '#'.repeat(100_000),
      ' '.repeat(100_000),
    ]
    const started = process.cpuUsage()

    long.forEach((value) => accepts(type, `${value}\u0007`))

    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000)
  })
})
