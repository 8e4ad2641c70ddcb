// @module-tag long
import { afterEach, describe, expect, it } from 'vitest'
import { shared } from '../support/programs/at-end.ts'
import {
  edited,
  GUARDED,
  OTHER_GOAL,
  type Person,
  pipelineText,
  TWO_EYES,
} from '../support/gate/guarded-document.ts'
import { GuardedService, type Outcome } from '../support/gate/guarded-service.ts'

const OTHER = { document: OTHER_GOAL }
const GOAL = '<param name="goal">all<'
const TASK = edited('<arg>deploy<', '<arg>steal<')
const WORSE = edited(GOAL, '<param name="goal">worse<')
const BILL = pipelineText('bill')
const SHOP = pipelineText('shop')
const BOTH = edited('shop.git', 'x.git', OTHER_GOAL)

const ENTITY = {
  entities: [{ kind: 'pipeline', name: 'bill', xml: pipelineText('bill', OTHER_GOAL).trim() }],
}

const PAIRS = `version: 1
rules:
  - name: two-eyes
    match: { entity: [group/pay, pipeline in group/pay] }
    need: [{ approvals: 2, of: admins of the group }]
`

/** A rule about one kind of caller. */
function about(match: string): string {
  return `version: 1\nrules:\n  - name: two-eyes\n    match: { entity: pipeline in group/pay, ${match} }\n    effect: deny\n`
}

const OVERRIDABLE = `${TWO_EYES}    override: { by: role/security, reason: required }\n`

interface Way {
  readonly way: string
  readonly rules?: string
  readonly status?: number
  readonly because?: string
  readonly go: (guarded: GuardedService) => Promise<Outcome>
}

/** Proposes as ann; others approve; ann merges, unless a way says otherwise. */
async function approvedBy(
  guarded: GuardedService,
  reviewers: readonly Person[],
  { by = 'ann', content = OTHER }: { by?: Person; content?: object } = {},
): Promise<number> {
  const number = await guarded.propose(by, { ...content })
  for (const reviewer of reviewers) await guarded.must(reviewer, number, 'approve', { version: 1 })
  return number
}

const mergeBy =
  (person: Person, reviewers: readonly Person[], more: object = {}) =>
  async (guarded: GuardedService) =>
    guarded.act(person, await approvedBy(guarded, reviewers, more), 'merge')

const OUTDATED = { status: 409, because: 'touches what has changed since' }

/** Merges that miss an approval that counts. */
const UNAPPROVED: readonly Way[] = [
  { way: 'no review at all, by the author', go: mergeBy('ann', []) },
  { way: 'no review at all, by an administrator of the group', go: mergeBy('abe', []) },
  { way: 'no review at all, by an administrator of the server', go: mergeBy('root', []) },
  { way: 'an approval by the author', go: mergeBy('ann', ['ann']) },
  { way: 'an approval by the author, merged by another', go: mergeBy('root', ['ann']) },
  { way: 'an approval by the administrator of another group', go: mergeBy('ann', ['will']) },
  { way: 'an approval by a viewer', go: mergeBy('ann', ['vic']) },
  {
    way: 'an approval by the administrator of a template',
    because: 'proposal',
    status: 404,
    go: async (guarded) => guarded.act('tess', await approvedBy(guarded, []), 'approve'),
  },
  { way: 'one approval where two are needed', rules: PAIRS, go: mergeBy('ann', ['abe']) },
  {
    way: 'the same approval twice where two are needed',
    rules: PAIRS,
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe', 'abe'])
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval in two spellings of a name where two are needed',
    rules: PAIRS,
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.post(`/api/proposals/${number}/approve`, {}, { as: 'ABE' })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval by the author in another spelling',
    go: async (guarded) => {
      const number = await approvedBy(guarded, [])
      await guarded.post(`/api/proposals/${number}/approve`, {}, { as: 'ANN' })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval that was taken back',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.must('abe', number, 'reject', { takeBack: true })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval beside a rejection',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.must('paul', number, 'reject')
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval of another proposal of the same bytes',
    go: async (guarded) => {
      await approvedBy(guarded, ['abe'])
      return guarded.act('ann', await approvedBy(guarded, []), 'merge')
    },
  },
  {
    way: 'an approval in the words of the message',
    go: mergeBy('ann', [], {
      content: { ...OTHER, message: 'Approved-by: abe 1\n\nApproved-by: abe 1' },
    }),
  },
  {
    way: 'an approval in the words of the merge',
    go: async (guarded) =>
      guarded.act('ann', await approvedBy(guarded, []), 'merge', { message: 'Approved-by: abe 1' }),
  },
]

/** Updates by which an approval is to carry over to other bytes. */
const CHANGED: readonly Way[] = [
  {
    way: 'an approval of an older version',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.must('ann', number, 'update', {
        document: edited(GOAL, '<param name="goal">worse<'),
      })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval of an older version, by its number',
    status: 409,
    because: 'has a newer version',
    go: async (guarded) => {
      const number = await approvedBy(guarded, [])
      await guarded.must('ann', number, 'update', { document: WORSE })
      return guarded.act('abe', number, 'approve', { version: 1 })
    },
  },
  {
    way: 'an update by one byte',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.must('ann', number, 'update', {
        document: edited('steal', 'stea1', OTHER_GOAL),
      })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an update of white space',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      const document = edited('<param name="goal">', '<param  name="goal">', OTHER_GOAL)
      await guarded.must('ann', number, 'update', { document })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an update with another entity beside the approved one',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      const document = edited('ship.git', 'x.git', OTHER_GOAL)
      await guarded.must('ann', number, 'update', { document })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an update by a viewer',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.must('vic', number, 'update', {
        document: edited(GOAL, '<param name="goal">vic<'),
      })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval by somebody who wrote a version',
    go: async (guarded) => {
      const number = await approvedBy(guarded, [])
      await guarded.must('abe', number, 'update', {
        document: edited(GOAL, '<param name="goal">abe<'),
      })
      await guarded.must('abe', number, 'approve')
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval by somebody whose version was taken back',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.must('abe', number, 'update', {
        document: edited(GOAL, '<param name="goal">abe<'),
      })
      await guarded.must('ann', number, 'update', OTHER)
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'a version that restores an approved document upon an older one',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.freely(TWO_EYES, () => guarded.put(edited('bill</param>', 'bill-2</param>')))
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'bytes that others changed in the meantime',
    ...OUTDATED,
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.freely(TWO_EYES, () => guarded.put(edited(GOAL, '<param name="goal">none<')))
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'bytes that others renamed in the meantime',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.freely(TWO_EYES, () => guarded.put(edited('name="bill"', 'name="bell"')))
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'a pipeline that others moved in the meantime',
    status: 404,
    because: 'no proposal',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['paul'])
      const document = edited(SHOP, BILL + SHOP, edited(BILL, ''))
      await guarded.freely(TWO_EYES, () => guarded.put(document))
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'rules that have changed since the approval',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.rules(`${TWO_EYES}# stricter\n`)
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'rules that have changed since the approval of a change by somebody without the right',
    rules: 'version: 1\nrules: []\n',
    because: 'beyond what vic administers',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'], { by: 'vic' })
      await guarded.rules('version: 1\nrules: [] # others\n')
      return guarded.act('vic', number, 'merge')
    },
  },
  {
    way: 'a version that somebody else puts in before the merge of what was seen',
    rules: 'version: 1\nrules: []\n',
    status: 409,
    because: 'has a newer version',
    go: async (guarded) => {
      const number = await approvedBy(guarded, [], { by: 'root' })
      await guarded.must('vic', number, 'update', { document: WORSE })
      return guarded.act('root', number, 'merge', { version: 1 })
    },
  },
  {
    way: 'rules that asked for nothing at the approval',
    go: async (guarded) => {
      const number = await guarded.freely(TWO_EYES, () => approvedBy(guarded, ['abe']))
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval of one of two groups',
    rules: `version: 1\nrules:\n  - name: two-eyes\n    match: { entity: "pipeline/*" }\n    need: [{ approvals: 1, of: admins of the group }]\n    not: author\n`,
    go: mergeBy('root', ['will'], { content: { document: BOTH }, by: 'root' }),
  },
  {
    way: 'an approval by administrators where security is asked',
    rules: `${TWO_EYES}  - name: rights\n    match: { entity: group/pay, path: authorization }\n    need: [{ approvals: 1, of: role/security }]\n`,
    because: 'The rule rights ',
    go: mergeBy('ann', ['abe'], {
      content: {
        document: edited('<user>abe</user>\n        <role>', '<user>will</user>\n        <role>'),
      },
      by: 'ann',
    }),
  },
  {
    way: 'a change of a template by its administrator',
    go: async (guarded) => {
      const xml = /(?<=<templates>\n)    <pipeline name="deploy">[^]*?<\/pipeline>/.exec(TASK)?.[0]
      const number = await guarded.propose('root', {
        entities: [{ kind: 'template', name: 'deploy', xml: xml?.trim() }],
      })
      return guarded.act('root', number, 'merge')
    },
  },
]

/** Approvals by people who could not give them now. */
const DEPARTED: readonly Way[] = [
  {
    way: 'an approval by a user who was removed',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['paul'])
      await guarded.call('/api/users/paul', { method: 'DELETE' })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval by a user who was disabled',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['pete'])
      await guarded.call('/api/users/pete/disable', { method: 'POST' })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval by a user whose name somebody else has now',
    go: async (guarded) => {
      const made = await guarded.post('/api/users', { name: 'nell' })
      const { password } = JSON.parse(made.text)
      const roles = edited('<user>pam</user>', '<user>pam</user>\n            <user>nell</user>')
      await guarded.freely(TWO_EYES, () => guarded.put(roles))
      const number = await approvedBy(guarded, [], { content: ENTITY })
      const as = `nell:${password}`
      const init = { method: 'POST', body: '{}', as }
      await guarded.service.fetch(`/api/proposals/${number}/approve`, init)
      await guarded.call('/api/users/nell', { method: 'DELETE' })
      await guarded.post('/api/users', { name: 'nell' })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an approval by a user who has lost the role',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['pam'])
      await guarded.put(edited('            <user>pam</user>\n', ''))
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'a merge by an author who may not view it any more',
    status: 404,
    because: 'no proposal',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'], { by: 'vic' })
      const document = edited(
        '        <user>vic</user>\n        <user>will</user>\n',
        '        <user>will</user>\n',
      )
      await guarded.freely(TWO_EYES, () => guarded.put(document))
      return guarded.act('vic', number, 'merge')
    },
  },
  {
    way: 'a merge by a viewer who is not the author',
    because: 'administers',
    go: mergeBy('vic', ['abe']),
  },
]

async function tokenOf(guarded: GuardedService, as: Person, scope: string): Promise<string> {
  const made = await guarded.post('/api/tokens', { name: `a ${scope}`, scope }, { as })
  return JSON.parse(made.text).token
}

async function withToken(
  guarded: GuardedService,
  token: string,
  path: string,
  body: object,
): Promise<Outcome> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body), as: null }
  const answer = await guarded.service.fetch(`/api/proposals${path}`, init)
  return { status: answer.status, text: await answer.text() }
}

const CREDENTIALS: readonly Way[] = [
  {
    way: 'an approval with a token',
    because: 'A token may propose',
    go: async (guarded) => {
      const number = await approvedBy(guarded, [])
      return withToken(guarded, await tokenOf(guarded, 'abe', 'admin'), `/${number}/approve`, {})
    },
  },
  {
    way: 'a proposal by a token that its owner approves',
    go: async (guarded) => {
      const made = await withToken(guarded, await tokenOf(guarded, 'ann', 'admin'), '', {
        title: 'x',
        ...OTHER,
      })
      const { number } = JSON.parse(made.text)
      await guarded.must('ann', number, 'approve')
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'a token that may not save, by a merge',
    rules: 'version: 1\nrules: []\n',
    because: 'This token is for',
    go: async (guarded) => {
      const token = await tokenOf(guarded, 'ann', 'operate')
      const made = await withToken(guarded, token, '', { title: 'x', ...OTHER })
      return withToken(guarded, token, `/${JSON.parse(made.text).number}/merge`, {})
    },
  },
  {
    way: 'a token that may not save, by a proposal that merges itself',
    rules: 'version: 1\nrules: []\n',
    because: 'This token is for',
    go: async (guarded) => {
      const token = await tokenOf(guarded, 'ann', 'operate')
      return withToken(guarded, token, '', { title: 'x', ...OTHER, when: 'approved' })
    },
  },
  {
    way: 'a token that may not save, by an update that merges itself',
    rules: 'version: 1\nrules: []\n',
    because: 'This token is for',
    go: async (guarded) => {
      const token = await tokenOf(guarded, 'ann', 'operate')
      const made = await withToken(guarded, token, '', { title: 'x', ...OTHER })
      const path = `/${JSON.parse(made.text).number}/update`
      return withToken(guarded, token, path, { document: WORSE, when: 'approved' })
    },
  },
  {
    way: 'a token that may not change, by a proposal that others merge',
    rules: about('credential: token'),
    go: async (guarded) => {
      const token = await tokenOf(guarded, 'ann', 'admin')
      const made = await withToken(guarded, token, '', { title: 'x', ...OTHER })
      return guarded.act('ann', JSON.parse(made.text).number, 'merge')
    },
  },
  {
    way: 'a user who may not change, by a proposal that others merge',
    rules: about('user: paul'),
    go: mergeBy('ann', ['abe'], { by: 'paul' }),
  },
  {
    way: 'a role that may not change, by a proposal that others merge',
    rules: about('role: payers'),
    go: mergeBy('root', ['abe'], { by: 'paul' }),
  },
  {
    way: 'a user who may not change, by an update of what others propose',
    rules: about('user: paul'),
    go: async (guarded) => {
      const number = await approvedBy(guarded, [])
      await guarded.must('paul', number, 'update', {
        document: edited(GOAL, '<param name="goal">paul<'),
      })
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'a user who may not change, in another spelling',
    rules: about('user: Paul'),
    go: (guarded) => guarded.put(OTHER_GOAL, { as: 'PAUL' }),
  },
]

const why = { 'x-cairn-message': 'outage' }
const override = { 'x-cairn-override': 'two-eyes' }

const OVERRIDES: readonly Way[] = [
  {
    way: 'an override that the rule does not know',
    go: (guarded) => guarded.put(OTHER_GOAL, { headers: { ...override, ...why } }),
  },
  {
    way: 'an override by somebody whom the rule does not name',
    rules: OVERRIDABLE,
    go: (guarded) => guarded.put(OTHER_GOAL, { headers: { ...override, ...why } }),
  },
  {
    way: 'an override of a rule of another name',
    rules: OVERRIDABLE,
    go: (guarded) => guarded.put(OTHER_GOAL, { headers: { 'x-cairn-override': '*', ...why } }),
  },
  {
    way: 'an override without a reason',
    rules: OVERRIDABLE.replace('role/security', 'user/ann'),
    go: (guarded) => guarded.put(OTHER_GOAL, { as: 'ann', headers: override }),
  },
  {
    way: 'an override with a token',
    rules: OVERRIDABLE.replace('role/security', 'user/ann'),
    go: async (guarded) => {
      const token = await tokenOf(guarded, 'ann', 'admin')
      const headers = { authorization: `Bearer ${token}`, 'if-match': '*', ...override, ...why }
      const init = { method: 'PUT', headers, body: OTHER_GOAL, as: null }
      const answer = await guarded.service.fetch('/api/admin/config.xml', init)
      return { status: answer.status, text: await answer.text() }
    },
  },
  {
    way: 'an override of a rejection by somebody without the right',
    rules: OVERRIDABLE,
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.must('paul', number, 'reject')
      return guarded.post(
        `/api/proposals/${number}/merge`,
        { message: 'x' },
        { as: 'ann', headers: override },
      )
    },
  },
  {
    way: 'a refused save that prefers a proposal',
    status: 202,
    because: 'two-eyes',
    go: (guarded) => guarded.put(OTHER_GOAL, { headers: { prefer: 'propose' } }),
  },
  {
    way: 'a refused form that prefers a proposal, and merges it',
    go: async (guarded) => {
      const made = await guarded.put(OTHER_GOAL, { headers: { prefer: 'propose' } })
      return guarded.act('root', JSON.parse(made.text).number, 'merge')
    },
  },
]

const LOCKED =
  'version: 1\nrules:\n  - name: two-eyes\n    match: { entity: [rules, pipeline in group/pay] }\n    effect: deny\n    except: user/rick\n'
const putRules =
  (body: string, as: Person = 'root', headers: Record<string, string> = { 'if-match': '*' }) =>
  (guarded: GuardedService) =>
    guarded.call('/api/admin/rules.yaml', {
      as,
      method: 'PUT',
      body,
      headers: { ...headers, ...why },
    })
const EMPTY = 'version: 1\nrules: []\n'

const OF_RULES: readonly Way[] = [
  { way: 'rules without a rule', rules: LOCKED, go: putRules(EMPTY) },
  { way: 'rules with an exception', rules: LOCKED, go: putRules(LOCKED.replace('rick', 'root')) },
  {
    way: 'rules with a window in the past',
    rules: LOCKED,
    go: putRules(`${LOCKED}    window: { from: 2001-01-01, to: 2001-01-02, zone: UTC }\n`),
  },
  {
    way: 'rules by the administrator of a group',
    because: 'administer',
    go: putRules(EMPTY, 'ann'),
  },
  {
    way: 'first rules in the place of others',
    status: 412,
    because: 'rules',
    go: putRules(EMPTY, 'root', { 'if-none-match': '*' }),
  },
  {
    way: 'rules that nobody can read',
    status: 422,
    because: 'rules',
    go: putRules('version: 1\nrules: ['),
  },
  {
    way: 'a change first, with the rules that would allow it after',
    rules: LOCKED,
    go: (guarded) => guarded.put(OTHER_GOAL),
  },
  {
    way: 'the rules first, with the change after',
    rules: LOCKED,
    go: async (guarded) => {
      await putRules(EMPTY)(guarded)
      return guarded.put(OTHER_GOAL)
    },
  },
  {
    way: 'rules as an entity of a proposal',
    status: 400,
    because: 'rules',
    go: (guarded) =>
      guarded.post('/api/proposals', {
        title: 'x',
        entities: [{ kind: 'rules', name: 'cairn-rules.yaml', xml: null }],
      }),
  },
]

const REPEATED: readonly Way[] = [
  {
    way: 'a merge of what was closed',
    status: 409,
    because: 'is closed',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.must('ann', number, 'close')
      return guarded.act('ann', number, 'merge')
    },
  },
  {
    way: 'an update of what was closed',
    status: 409,
    because: 'is closed',
    go: async (guarded) => {
      const number = await approvedBy(guarded, ['abe'])
      await guarded.must('ann', number, 'close')
      return guarded.act('ann', number, 'update', OTHER)
    },
  },
]

const WAYS = [
  ...UNAPPROVED,
  ...CHANGED,
  ...CREDENTIALS,
  ...OVERRIDES,
  ...OF_RULES,
  ...REPEATED,
  ...DEPARTED,
]

describe('a guarded pipeline', () => {
  const opened = shared(() => GuardedService.open())
  afterEach(async () => {
    const guarded = opened()
    const rick = { as: 'rick', method: 'PUT', headers: { 'if-match': '*', ...why } } as const
    await guarded.call('/api/admin/rules.yaml', { ...rick, body: EMPTY })
    await guarded.put(GUARDED)
    const open = await guarded.call('/api/proposals?state=open')
    for (const { number } of JSON.parse(open.text)) await guarded.act('root', number, 'close')
  })

  it('changes by a proposal that somebody else has approved, once', async () => {
    const guarded = opened()
    await guarded.rules(TWO_EYES)
    const number = await approvedBy(guarded, ['abe'])
    const answers = await Promise.all(
      (['ann', 'abe', 'root'] as const).map((each) => guarded.act(each, number, 'merge')),
    )
    const revisions = JSON.parse((await guarded.call('/api/config/revisions?limit=2')).text)

    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '409', '409'])
    expect(await guarded.document()).toBe(OTHER_GOAL)
    expect(revisions[0]).toMatchObject({ username: 'ann' })
    expect(revisions[1].comment ?? '').not.toContain('A change')
  })

  it.each(WAYS)(
    'does not change by $way',
    async ({ rules = TWO_EYES, status = 403, because = 'The rule two-eyes ', go }) => {
      const guarded = opened()
      await guarded.rules(rules)
      const { status: answered, text } = await go(guarded)
      const after = await guarded.document()

      expect([answered, text]).toEqual([status, expect.stringContaining(because)])
      expect(after).not.toContain('steal')
      expect(after).not.toMatch(/name="goal">(?!all<|none<)/)
    },
  )
})
