import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { checkExamples } from '../../../../../src/configuration/gate/rules/examples.ts'
import { readRules } from '../../../../../src/configuration/gate/rules/read-rules.ts'
import { rulesJsonSchema } from '../../../../../src/configuration/gate/rules/rules-schema.ts'
import { rootFile } from '../../../../support/programs/root-file.ts'

const HEAD = 'version: 1\nrules:\n'

/** Each fault with the line and column that it is found at, counted from the first rule. */
const FAULTS: readonly (readonly [rules: string, line: number, column: number, message: RegExp])[] =
  [
    ['  - name: a\n    efect: deny', 2, 5, /no key efect here; did you mean "effect"/],
    [
      '  - name: a\n    effect: denie',
      2,
      13,
      /"denie" is none of need, warn, deny; did you mean "deny"/,
    ],
    ['  - name: a\n    when_cel: "x > 1"\n    effect: deny', 2, 5, /when_cel is reserved/],
    ['  - name: a', 1, 5, /has an effect, or says what it needs/],
    ['  - name: a\n    effect: need', 2, 13, /says what it needs/],
    [
      '  - name: a\n    effect: deny\n    need: [{ reason: required }]',
      2,
      13,
      /effect need, not deny/,
    ],
    ['  - name: a\n    effect: deny\n  - name: A\n    effect: deny', 3, 11, /two rules named A/],
    ['  - name: a\n    match: { entty: x }\n    effect: deny', 2, 14, /did you mean "entity"/],
    [
      '  - name: a\n    match: { entity: pipline/x }\n    effect: deny',
      2,
      22,
      /did you mean "pipeline"/,
    ],
    [
      '  - name: a\n    match: { entity: [group/a, pipeline] }\n    effect: deny',
      2,
      32,
      /has no name: write pipeline\/NAME/,
    ],
    [
      '  - name: a\n    match: { door: [put, puhs] }\n    effect: deny',
      2,
      26,
      /did you mean "push"/,
    ],
    [
      '  - name: a\n    match: { plan: { start: ">1" } }\n    effect: deny',
      2,
      22,
      /did you mean "starts"/,
    ],
    ['  - name: a\n    match: { plan: { starts: "about 3" } }\n    effect: deny', 2, 30, /./],
    ['  - name: a\n    need: [{ approvals: 1, of: roll/x }]', 2, 32, /names nobody/],
    ['  - name: a\n    need: [{ approvals: 0, of: role/x }]', 2, 25, />=1/],
    [
      '  - name: a\n    need: [{ approvals: 1, of: role/x, wen: {} }]',
      2,
      40,
      /did you mean "when"/,
    ],
    ['  - name: a\n    need: [{ reason: please }]', 2, 22, /none of required/],
    ['  - name: a\n    effect: deny\n    not: [auther]', 3, 11, /did you mean "author"/],
    ['  - name: a\n    effect: deny\n    override: { by: oncall }', 3, 21, /names nobody/],
    [
      '  - name: a\n    effect: deny\n    window: { from: 2026-12-20, to: 2026-12-19, zone: UTC }',
      3,
      37,
      /ends \(2026-12-19\) before/,
    ],
    [
      '  - name: a\n    effect: deny\n    window: { from: 2026-02-30, to: 2026-12-19, zone: UTC }',
      3,
      21,
      /is not a time/,
    ],
    [
      '  - name: a\n    effect: deny\n    window: { from: 2026-02-03, to: 2026-12-19, zone: Europe/Berlni }',
      3,
      55,
      /did you mean "Europe\/Berlin"/,
    ],
    [
      '  - name: a\n    effect: deny\n    window: { weekly: fri - mon, zone: UTC }',
      3,
      23,
      /write fri 16:00 - mon 07:00/,
    ],
    [
      '  - name: a\n    effect: deny\n    window: { weekly: [mon 1:00 - mon 1:00], zone: UTC }',
      3,
      24,
      /ends when it begins/,
    ],
    ['  - name: a\n    effect: deny\n    window: { from: 2026-12-20 }', 3, 5, /./],
    ['  - name: a\n    name: b', 2, 5, /unique/],
    ['  - name: "a', 1, 13, /quote/],
    ['  - name: a b\n    effect: deny', 1, 11, /./],
  ]

function pathOf(rules: string) {
  const reading = readRules(Buffer.from(HEAD + rules))
  return reading.ok ? null : reading.problems[0]?.path
}

function messageOf(text: string) {
  const reading = readRules(Buffer.from(text))
  return reading.ok ? null : reading.problems[0]?.message
}

describe('a file of rules', () => {
  it.each(FAULTS)('%s: %i:%i', (rules, line, column, message) => {
    const reading = readRules(Buffer.from(HEAD + rules))

    const problems = reading.ok ? [] : reading.problems
    expect(problems[0]?.message).toMatch(message)
    expect([problems[0]?.line, problems[0]?.column]).toEqual([line + 2, column])
  })

  it('is named by the path to each fault, as programs write one', () => {
    const rule = '  - name: a\n    effect: deny\n'

    expect(pathOf(`${rule}  - name: b\n    match: { entty: x }\n    effect: deny`)).toBe(
      'rules[2].match.entty',
    )
    expect(pathOf('  - name: a\n    need: [{ reason: required }, { reason: please }]')).toBe(
      'rules[1].need[2].reason',
    )
  })

  it('is refused when it is too large, has another version, or is no list of rules', () => {
    const texts = [
      'version: 2\nrules: []',
      'rules: []',
      '- a',
      '',
      'version: 1\nrules: {}',
      '#'.repeat(300_000),
    ]

    expect(texts.map((text) => readRules(Buffer.from(text)).ok)).toEqual(texts.map(() => false))
  })

  it('is refused in words, with a place, when it is nested more deeply than a library can read', () => {
    const texts = ['{', '[', '[{', '{a: [', '- ', '? ', 'a: '].map((text) => text.repeat(30_000))

    const problems = texts.map((text) => {
      const reading = readRules(Buffer.from(text))
      return reading.ok ? [] : reading.problems
    })

    expect(problems).toEqual(
      texts.map(() => [
        { message: 'This is nested too deeply', line: 1, column: expect.any(Number) },
      ]),
    )
  })

  it('names a hundred faults of very many', () => {
    const texts = [
      '}'.repeat(10_000),
      `version: 1\nrules: []\n${'k: 1\n'.repeat(1_000)}`,
      HEAD + Array.from({ length: 400 }, () => '  - { effect: dny }\n').join(''),
      `${HEAD}  - name: a\n${Array.from({ length: 400 }, (_, n) => `    k${n}: 1\n`).join('')}`,
    ]

    const counts = texts.map((text) => {
      const reading = readRules(Buffer.from(text))
      return reading.ok ? 0 : reading.problems.length
    })

    expect(counts).toEqual([100, 100, 100, 100])
  })

  it('is refused when it repeats very many things, or has too many parts', () => {
    const anchors = Array.from({ length: 1_001 }, (_, n) => `- &a${n} x\n- *a${n}\n`).join('')

    expect([anchors, `[${',,'.repeat(70_000)}`].map(messageOf)).toEqual([
      'The file repeats its anchors too often',
      'The file has too many parts',
    ])
  })

  it('has a JSON schema that accepts what is read and refuses unknown keys', () => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
      rulesJsonSchema(),
    )

    expect(validate({ version: 1, rules: [{ name: 'a', effect: 'deny' }] })).toBe(true)
    expect(validate({ version: 1, rules: [{ name: 'a', efect: 'deny' }] })).toBe(false)
  })

  it('has a JSON schema that takes every file of the documentation that is read', () => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
      rulesJsonSchema(),
    )
    const blocks = readFileSync(rootFile('docs/rules.md'), 'utf8').matchAll(/```yaml\n([^]*?)```/g)
    const texts = Array.from(blocks, ([, text = '']) => text)
    const read = texts.filter((text) => readRules(Buffer.from(text)).ok)

    expect(read.length).toBeGreaterThan(0)
    for (const text of read) expect([text, validate(parse(text))]).toEqual([text, true])
  })

  it('holds its examples to the rules', () => {
    const text = `${HEAD}  - name: two-eyes
    match: { entity: pipeline in group/payments }
    need: [{ approvals: 1, of: role/security }]
    not: [author]
  - name: year-end
    match: { entity: environment/prod and what runs in it }
    window: { from: 2026-12-20, to: 2027-01-04, zone: Europe/Berlin }
    effect: deny
examples:
  - name: nobody alone
    change: { entity: pipeline/pay, group: payments, path: [material git x] }
    by: { user: eve, roles: [security] }
    expect: { needs: two-eyes }
  - name: with an approval
    change: { entity: pipeline/pay, group: payments }
    approvals: [{ user: sam, roles: [security] }]
    expect: { allowed: true }
  - name: in a freeze
    change: { entity: pipeline/shop, environment: prod }
    at: 2026-12-24T12:00:00+01:00
    expect: { denies: year-end }
  - name: wrong
    change: { entity: pipeline/shop }
    expect: { denies: year-end }
`
    const reading = readRules(Buffer.from(text))

    const problems = reading.ok ? checkExamples(reading) : reading.problems
    expect(problems).toEqual([
      expect.objectContaining({
        message: 'The example "wrong" expects denies year-end, and the rules say allowed',
        line: 26,
      }),
    ])
  })
})
