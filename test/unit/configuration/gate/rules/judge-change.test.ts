import { describe, expect, it } from 'vitest'
import type { Review } from '../../../../../src/core/change-origin.ts'
import {
  asksForPlan,
  candidatesFor,
  digestOfChange,
  judgeChange,
} from '../../../../../src/configuration/gate/rules/judge-change.ts'
import type {
  People,
  Question,
  Standing,
  TouchedEntity,
} from '../../../../../src/configuration/gate/rules/question.ts'
import { readRules } from '../../../../../src/configuration/gate/rules/read-rules.ts'
import { NO_RULES, type RuleSet } from '../../../../../src/configuration/gate/rules/rule.ts'
import { ALLOWED } from '../../../../../src/configuration/gate/rules/verdict.ts'

function person(
  username: string,
  roles: readonly string[],
  administered: readonly string[],
): Standing {
  const administersServer = administered.includes('server')
  return {
    username,
    userId: `${username} now`,
    roles,
    administersServer,
    administers: (part) => administersServer || administered.includes(part),
  }
}

const STANDINGS = {
  root: person('root', [], ['server']),
  ann: person('ann', ['security'], []),
  sam: person('sam', ['security'], []),
  pia: person('pia', [], ['group/payments']),
  uma: person('uma', ['oncall'], ['group/users']),
  eve: person('eve', [], []),
} as const
type Name = keyof typeof STANDINGS

const PEOPLE: People = {
  find: (name) =>
    Object.values(STANDINGS).find((each) => each.username === name.toLowerCase()) ?? null,
  list: () => Object.values(STANDINGS),
  isComplete: true,
}

function rules(text: string): RuleSet {
  const reading = readRules(Buffer.from(`version: 1\nrules:\n${text}`))
  if (!reading.ok) throw new Error(reading.problems.map(({ message }) => message).join())
  return reading.rules
}

const PAY: TouchedEntity = {
  entity: 'pipeline/pay',
  names: ['pipeline/pay'],
  kinds: ['changed'],
  groups: ['payments'],
  environments: ['prod'],
  places: [{ steps: ['stage deploy', 'job unit', 'task “make”'], sort: 'content', isWhole: false }],
  before: 'one',
  after: 'two',
}
const COMMENT = { steps: ['comments'], sort: 'comment', isWhole: false } as const
const LAYOUT = { steps: ['layout'], sort: 'layout', isWhole: false } as const
const GRANT = { steps: ['administrator user eve'], sort: 'content', isWhole: true } as const

interface Case extends Partial<Omit<Question, 'change' | 'rules' | 'caller'>> {
  readonly entities?: readonly TouchedEntity[]
  readonly by?: Name | null
  readonly credential?: 'password' | 'session' | 'token'
  readonly overrides?: readonly string[]
}

function questionOf(
  set: RuleSet,
  { entities = [PAY], by = 'eve', credential = 'session', overrides = [], ...more }: Case,
): Question {
  return {
    change: { entities },
    door: 'put',
    caller: by === null ? null : { standing: STANDINGS[by], credential, overrides },
    reason: '',
    proposal: null,
    rules: set,
    people: PEOPLE,
    plan: null,
    now: Date.parse('2026-11-28T12:00:00Z'),
    isRecovery: false,
    delegation: ALLOWED,
    ...more,
  }
}

/** The verdict in short: what stands in the way, what warns, and what was passed. */
function verdictOf(set: RuleSet, question: Case): string {
  const asked = questionOf(set, question)
  const { kind, objections, warnings, overridden, recovered } = judgeChange(asked)
  const parts = [
    ...objections.map(({ rule, of }) => [rule, ...of].join(' ')),
    ...warnings.map(({ rule }) => `warns ${rule}`),
    ...overridden.map((rule) => `passed ${rule}`),
    ...recovered.map((rule) => `recovered ${rule}`),
  ]
  return [kind, ...parts].join('; ')
}

const DENY = 'allowed'
const X = 'denied; x'

/** A match in a rule that denies, and changes that it is about or not. */
const MATCHES: readonly (readonly [match: string, question: Case, verdict: string])[] = [
  ['{}', {}, X],
  ['{ entity: pipeline/pay }', {}, X],
  ['{ entity: pipeline/Pay }', {}, X],
  ['{ entity: pipeline/p* }', {}, X],
  ['{ entity: pipeline/shop }', {}, DENY],
  ['{ entity: [pipeline/shop, pipeline in group/payments] }', {}, X],
  ['{ entity: pipeline in group/users }', {}, DENY],
  ['{ entity: pipeline in group/pay* }', {}, X],
  [
    '{ entity: pipeline in group/users }',
    { entities: [{ ...PAY, groups: ['payments', 'Users'] }] },
    X,
  ],
  ['{ entity: environment/prod and what runs in it }', {}, X],
  ['{ entity: environment/test and what runs in it }', {}, DENY],
  ['{ entity: environment/prod }', {}, DENY],
  [
    '{ entity: pipeline/old }',
    { entities: [{ ...PAY, names: ['pipeline/pay', 'pipeline/old'] }] },
    X,
  ],
  ['{ change: removed }', {}, DENY],
  [
    '{ change: [removed, added] }',
    { entities: [{ ...PAY, kinds: ['added', 'changed', 'removed'] }] },
    X,
  ],
  ['{ path: stage deploy }', {}, X],
  ['{ path: stage }', {}, X],
  ['{ path: stage test }', {}, DENY],
  ['{ path: stage deploy/job unit }', {}, X],
  ['{ path: stage deploy/task }', {}, DENY],
  ['{ path: [authorization, materials] }', {}, DENY],
  ['{ path: [authorization] }', { entities: [{ ...PAY, places: [GRANT] }] }, X],
  ['{ path: [materials] }', { entities: [{ ...PAY, places: [GRANT] }] }, DENY],
  [
    '{ path: [materials] }',
    { entities: [{ ...PAY, places: [{ steps: [], sort: 'content', isWhole: true }] }] },
    X,
  ],
  [
    '{ path: [job unit] }',
    {
      entities: [{ ...PAY, places: [{ steps: ['stage deploy'], sort: 'content', isWhole: true }] }],
    },
    X,
  ],
  [
    '{ path: [job unit] }',
    { entities: [{ ...PAY, places: [{ steps: ['content'], sort: 'content', isWhole: true }] }] },
    X,
  ],
  [
    '{ path: [stage a-very-long-name] }',
    {
      entities: [{ ...PAY, places: [{ steps: ['stage a-v…e'], sort: 'content', isWhole: false }] }],
    },
    X,
  ],
  ['{ user: Eve }', {}, X],
  ['{ user: [ann, sam] }', {}, DENY],
  ['{ user: eve }', { by: null, door: 'live-file' }, DENY],
  ['{ role: security }', {}, DENY],
  ['{ role: Security }', { by: 'ann' }, X],
  ['{ door: push }', {}, DENY],
  ['{ door: [push, live-file] }', { by: null, door: 'live-file' }, X],
  ['{ credential: token }', {}, DENY],
  ['{ credential: [token] }', { credential: 'token' }, X],
  ['{ plan: { starts: ">20" } }', { plan: plan(20) }, DENY],
  ['{ plan: { starts: ">20" } }', { plan: plan(21) }, X],
  ['{ plan: { starts: ">=20", stops: 0 } }', { plan: plan(20) }, X],
  ['{ plan: { starts: ">=20", stops: 1 } }', { plan: plan(20) }, DENY],
  ['{ entity: pipeline/pay, path: stage test }', {}, DENY],
  ['{ entity: pipeline/pay, user: ann }', {}, DENY],
  // Agents and the rules are meant where they are named.
  ['{}', { entities: [{ ...PAY, names: ['agent/u1'], groups: [], environments: [] }] }, DENY],
  [
    '{ entity: "*" }',
    { entities: [{ ...PAY, names: ['agent/u1'], groups: [], environments: [] }] },
    DENY,
  ],
  [
    '{ entity: agent/* }',
    { entities: [{ ...PAY, names: ['agent/u1'], groups: [], environments: [] }] },
    X,
  ],
  ['{}', { entities: [{ ...PAY, entity: 'rules', names: ['rules'] }] }, DENY],
  ['{ entity: rules }', { entities: [{ ...PAY, entity: 'rules', names: ['rules'] }] }, X],
]

function plan(starts: number) {
  return { starts, stops: 0, gains: 0, removes: 0, jobsRunning: 0, willNotRun: 0 }
}

const TWO_EYES = `  - name: two-eyes
    match: { entity: [group/payments, pipeline in group/payments] }
    unless: { only: [comment, layout, variable] }
    need:
      - { approvals: 1, of: admins of the group }
      - { approvals: 1, of: role/security, when: { path: [authorization] } }
    not: [author, contributor]
    override: { by: [role/oncall, user/root], reason: required }
`
const GROUP = 'two-eyes admins of the group payments'
const REASON = '  - name: why\n    match: { door: [put] }\n    need: [{ reason: required }]\n'
const FREEZE = `  - name: freeze
    window: { from: 2026-11-01, to: 2026-11-30, zone: UTC }
    match: { entity: [pipeline/*, rules] }
    effect: deny
    except: role/oncall
`

const DIGEST = digestOfChange({ entities: [PAY] })

const OTHERS = `  - name: others
    match: { entity: pipeline in group/payments }
    need: [{ approvals: 1, of: admins of the group }]
    not: author
`
const PAIR = `  - name: pair
    match: { entity: pipeline in group/payments }
    need: [{ approvals: 2, of: admins of the group }]
`

function approval(by: string, text = TWO_EYES) {
  return { by, decision: 'approve', digest: DIGEST, rules: rules(text).version } as const
}

function reviewed(
  by: string,
  more: Partial<{ digest: string; rules: string; decision: 'reject'; userId: string }> = {},
  author = 'eve',
  contributors: readonly string[] = [author],
): Case {
  return reviewedBy([{ ...approval(by), ...more }], author, contributors)
}

function reviewedBy(
  reviews: readonly Review[],
  author = 'eve',
  contributors: readonly string[] = [author],
): Case {
  const writers = contributors.map((username) => ({ username, credential: 'session' }) as const)
  return { door: 'proposal', proposal: { number: 7, author, contributors, writers, reviews } }
}

const VERDICTS: readonly (readonly [
  what: string,
  rules: string,
  question: Case,
  verdict: string,
])[] = [
  ['a save by nobody of the group', TWO_EYES, {}, `needs; ${GROUP}`],
  ['a save by the administrator of the group alone', TWO_EYES, { by: 'pia' }, `needs; ${GROUP}`],
  ['a save of comments', TWO_EYES, { entities: [{ ...PAY, places: [COMMENT] }] }, 'allowed'],
  [
    'a save of comments and layout',
    TWO_EYES,
    { entities: [{ ...PAY, places: [COMMENT, LAYOUT] }] },
    'allowed',
  ],
  [
    'a save of comments and more',
    TWO_EYES,
    { entities: [{ ...PAY, places: [COMMENT, GRANT] }] },
    `needs; ${GROUP}; two-eyes role/security`,
  ],
  [
    'a variable',
    TWO_EYES,
    {
      entities: [
        {
          ...PAY,
          places: [{ steps: ['stage deploy', 'variable X'], sort: 'content', isWhole: true }],
        },
      ],
    },
    'allowed',
  ],
  [
    'all of a pipeline',
    TWO_EYES,
    { entities: [{ ...PAY, places: [{ steps: [], sort: 'content', isWhole: true }] }] },
    `needs; ${GROUP}; two-eyes role/security`,
  ],
  ['an approval', TWO_EYES, reviewed('pia'), 'allowed'],
  ['an approval by an administrator of the server', TWO_EYES, reviewed('root'), 'allowed'],
  ['an approval in another spelling', TWO_EYES, reviewed('PIA'), 'allowed'],
  ['an approval by somebody of another group', TWO_EYES, reviewed('uma'), `needs; ${GROUP}`],
  ['an approval by somebody who is gone', TWO_EYES, reviewed('zoe'), `needs; ${GROUP}`],
  [
    'an approval by a user who had the name before',
    TWO_EYES,
    reviewed('pia', { userId: 'former' }),
    `needs; ${GROUP}`,
  ],
  ['an approval of other bytes', TWO_EYES, reviewed('pia', { digest: 'other' }), `needs; ${GROUP}`],
  [
    'an approval under other rules',
    TWO_EYES,
    reviewed('pia', { rules: 'other' }),
    `needs; ${GROUP}`,
  ],
  ['an approval by the author', TWO_EYES, reviewed('pia', {}, 'pia'), `needs; ${GROUP}`],
  [
    'an approval by the author in another spelling',
    TWO_EYES,
    reviewed('Pia', {}, 'pia'),
    `needs; ${GROUP}`,
  ],
  [
    'an approval by the author alone',
    OTHERS,
    reviewedBy([approval('pia', OTHERS)], 'pia'),
    'needs; others admins of the group payments',
  ],
  [
    'an approval by a contributor where the author is excluded',
    OTHERS,
    reviewedBy([approval('pia', OTHERS)], 'eve', ['eve', 'pia']),
    'allowed',
  ],
  [
    'an approval by a contributor',
    TWO_EYES,
    reviewed('pia', {}, 'eve', ['eve', 'Pia']),
    `needs; ${GROUP}`,
  ],
  [
    'a rejection',
    TWO_EYES,
    reviewed('pia', { decision: 'reject', digest: 'older' }),
    `needs; ${GROUP}`,
  ],
  [
    'a rejection beside an approval',
    TWO_EYES,
    reviewedBy([approval('pia'), { ...approval('root'), decision: 'reject' }]),
    `needs; ${GROUP}`,
  ],
  [
    'two approvals by one person',
    PAIR,
    reviewedBy([approval('pia', PAIR), approval('PIA', PAIR)]),
    'needs; pair admins of the group payments',
  ],
  [
    'two approvals by two people',
    PAIR,
    reviewedBy([approval('pia', PAIR), approval('root', PAIR)]),
    'allowed',
  ],
  [
    'what somebody else has written',
    '  - { name: x, effect: deny, match: { user: ann } }\n',
    reviewed('pia', {}, 'eve', ['eve', 'Ann']),
    'denied; x',
  ],
  [
    'a rejection by somebody who does not count',
    TWO_EYES,
    reviewed('uma', { decision: 'reject' }),
    `needs; ${GROUP}`,
  ],
  [
    'two groups',
    TWO_EYES,
    { ...reviewed('pia'), entities: [{ ...PAY, groups: ['payments', 'users'] }] },
    'needs; two-eyes admins of the group users',
  ],
  [
    'an override',
    TWO_EYES,
    { by: 'uma', overrides: ['Two-Eyes'], reason: 'outage' },
    'allowed; passed two-eyes',
  ],
  [
    'an override without a reason',
    TWO_EYES,
    { by: 'uma', overrides: ['two-eyes'] },
    `needs; ${GROUP}`,
  ],
  [
    'an override by a token',
    TWO_EYES,
    { by: 'uma', overrides: ['two-eyes'], reason: 'outage', credential: 'token' },
    `needs; ${GROUP}`,
  ],
  [
    'an override by somebody else',
    TWO_EYES,
    { by: 'pia', overrides: ['two-eyes'], reason: 'outage' },
    `needs; ${GROUP}`,
  ],
  [
    'an override of another rule',
    TWO_EYES + REASON,
    { by: 'uma', overrides: ['why'], reason: 'outage' },
    `needs; ${GROUP}`,
  ],
  [
    'an override of a push, which could not name it',
    TWO_EYES,
    { by: 'uma', overrides: ['two-eyes'], reason: 'outage', door: 'push' },
    `needs; ${GROUP}`,
  ],
  [
    'an administrator in a recovery',
    TWO_EYES + FREEZE + REASON,
    { by: 'root', isRecovery: true },
    'allowed; recovered two-eyes; recovered freeze; recovered why',
  ],
  [
    'a token of an administrator in a recovery',
    TWO_EYES,
    { by: 'root', isRecovery: true, credential: 'token' },
    `needs; ${GROUP}`,
  ],
  [
    'a push of an administrator in a recovery',
    TWO_EYES,
    { by: 'root', isRecovery: true, door: 'push' },
    `needs; ${GROUP}`,
  ],
  ['somebody else in a recovery', TWO_EYES, { by: 'pia', isRecovery: true }, `needs; ${GROUP}`],
  ['the live file', TWO_EYES, { by: null, door: 'live-file' }, `needs; ${GROUP}`],
  ['no reason', REASON, {}, 'needs; why a reason'],
  ['a reason', REASON, { reason: 'because' }, 'allowed'],
  [
    'several rules',
    TWO_EYES + REASON + FREEZE,
    {},
    `denied; ${GROUP}; why a reason; freeze role/oncall`,
  ],
  ['a freeze', FREEZE, {}, 'denied; freeze role/oncall'],
  ['a freeze for those whom it excepts', FREEZE, { by: 'uma' }, 'allowed'],
  ['a freeze that is over', FREEZE, { now: Date.parse('2026-12-01T00:00:00Z') }, 'allowed'],
  [
    'the rules in a freeze',
    FREEZE,
    { entities: [{ ...PAY, entity: 'rules', names: ['rules'] }] },
    'allowed',
  ],
  ['a warning', '  - name: w\n    effect: warn\n', {}, 'allowed; warns w'],
  [
    'one of a role alone',
    '  - name: s\n    need: [{ approvals: 1, of: role/security }]\n',
    { by: 'ann' },
    'allowed',
  ],
  [
    'one of a role by a token',
    '  - name: s\n    need: [{ approvals: 1, of: role/security }]\n',
    { by: 'ann', credential: 'token' },
    'needs; s role/security',
  ],
  [
    'two of a role, one of whom saves',
    '  - name: s\n    need: [{ approvals: 2, of: role/security }]\n',
    { by: 'ann' },
    'needs; s role/security',
  ],
]

describe('the verdict of the gate', () => {
  it.each(MATCHES)('with a match %s of %o is %s', (match, question, verdict) => {
    expect(verdictOf(rules(`  - { name: x, effect: deny, match: ${match} }`), question)).toBe(
      verdict,
    )
  })

  it.each(VERDICTS)('on %s', (_, text, question, verdict) => {
    expect(verdictOf(rules(text), question)).toBe(verdict)
  })

  it('is that of delegation where there are no rules', () => {
    const delegation = {
      kind: 'needs',
      rule: 'delegation',
      of: ['x'],
      place: 'server',
      sentence: 'No',
    } as const

    expect(verdictOf(NO_RULES, {})).toBe('allowed')
    expect(verdictOf(NO_RULES, { delegation })).toBe('needs; delegation x')
  })

  it('says until when, why and whose approval would help', () => {
    const denied = judgeChange(questionOf(rules(FREEZE), {})).objections[0]
    const needed = judgeChange(questionOf(rules(`${TWO_EYES}    message: Ask pia\n`), {}))
      .objections[0]

    expect(denied).toMatchObject({
      until: Date.parse('2026-12-01T00:00:00Z'),
      place: 'pipeline/pay',
    })
    expect(needed).toMatchObject({
      reason: 'Ask pia',
      sentence: expect.stringContaining('Ask pia'),
    })
    expect(needed?.approvals && candidatesFor(needed.approvals, PEOPLE)).toEqual(['root', 'pia'])
  })

  it('asks for the plan where a rule that fits otherwise does', () => {
    const set = rules('  - { name: x, effect: warn, match: { user: eve, plan: { starts: ">1" } } }')

    expect(asksForPlan(questionOf(set, {}))).toBe(true)
    expect(asksForPlan(questionOf(set, { by: 'ann' }))).toBe(false)
    expect(asksForPlan(questionOf(rules(FREEZE), {}))).toBe(false)
  })

  it('hangs approvals on the bytes of the entities that are changed themselves', () => {
    const beside = { ...PAY, names: ['pipeline/beside'], before: 'same', after: 'same' }
    const digests = [
      [PAY],
      [PAY, beside],
      [{ ...PAY, before: 'other' }],
      [{ ...PAY, after: 'other' }],
      [{ ...PAY, names: ['pipeline/shop'] }],
      [{ ...PAY, before: 'two', after: 'one' }],
      [PAY, { ...beside, after: 'other' }],
    ].map((entities) => digestOfChange({ entities }))

    expect(digests[1]).toBe(digests[0])
    expect(new Set(digests).size).toBe(6)
  })
})
