// @module-tag long
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { shared } from '../support/programs/at-end.ts'
import { GUARDED, OTHER_GOAL, pipelineText } from '../support/gate/guarded-document.ts'
import { GuardedService, md5, type Outcome } from '../support/gate/guarded-service.ts'
import { git } from '../support/git/git.ts'
import { untilUnlocked } from '../support/git/until-unlocked.ts'
import { until } from '../support/programs/until.ts'

const NO_RULES = 'version: 1\nrules: []\n'

/** The text of each kind of rule about the guarded pipelines, and about agents. */
const KINDS: Readonly<Record<string, string>> = {
  approvals: 'need: [{ approvals: 1, of: role/security }]',
  'a reason': 'need: [{ reason: required }]',
  'no change at all': 'effect: deny',
  'a window': 'effect: deny\n    window: { from: 2000-01-01, to: 2900-01-01, zone: Europe/Berlin }',
  'a week without end':
    'effect: deny\n    window: { weekly: [mon 00:00 - thu 12:00, thu 12:00 - mon 00:00], zone: UTC }',
  'the plan': 'effect: deny|plan: { willNotRun: ">=0" }',
  'a kind of change': 'effect: deny|change: [added, changed, removed]',
  'a user': 'effect: deny|user: ROOT',
  'a credential': 'effect: deny|credential: password',
  'all but some': 'effect: deny\n    except: role/security',
}

function ruleOf(kind: string): string {
  const [effect = '', more = ''] = (KINDS[kind] ?? '').split('|')
  const match = ['entity: [group/pay, pipeline in group/pay, agent/*]', ...(more ? [more] : [])]
  return `version: 1\nrules:\n  - name: guard\n    match: { ${match.join(', ')} }\n    ${effect}\n`
}

/** The revisions that made the change and took it back, before there were rules. */
interface Past {
  readonly made: string
  readonly takenBack: string
}
type Try = (guarded: GuardedService, past: Past) => Promise<Outcome>

const BILL = pipelineText('bill').trim()
const OTHER_BILL = pipelineText('bill', OTHER_GOAL).trim()
const ENTITY = '/api/config/entities/pipeline/bill'
/** The pages about older revisions ask for a reason of their own. */
const RESTORED = { basedOn: md5(GUARDED), reason: 'It was right' }
const form = (fields: Record<string, string>) => ({
  method: 'POST',
  body: new URLSearchParams(fields),
})
const xml = (body: string) => ({ method: 'PUT', body, headers: { 'if-match': '*' } })

async function throughProposal(
  guarded: GuardedService,
  content: Record<string, unknown>,
): Promise<Outcome> {
  const number = await guarded.propose('root', content)
  const merged = await guarded.act('root', number, 'merge')
  if (merged.status !== 200) await guarded.must('root', number, 'close')
  return merged
}

const NAMED = /not taken over|taken back|put back/

/** Has the machine's owner write the document, and waits until it is current or a refusal is named. */
async function byOwner(
  guarded: GuardedService,
  work: (folder: string) => void = () => {},
): Promise<Outcome> {
  const { repository } = guarded.service
  const health = async () => (await guarded.call('/health')).text
  await until(async () => {
    await untilUnlocked(repository)
    return git(repository, 'status', '--porcelain') === ''
  })
  writeFileSync(join(repository, 'config.xml'), OTHER_GOAL)
  work(repository)
  await until(async () => NAMED.test(await health()) || (await guarded.document()) === OTHER_GOAL)
  const text = await health()
  if (!NAMED.test(text)) return { status: 200, text }
  await until(async () => {
    writeFileSync(join(repository, 'config.xml'), GUARDED)
    const open = JSON.parse((await guarded.call('/api/proposals?state=open')).text)
    for (const { number } of open) await guarded.must('root', number, 'close')
    return !/not taken over|taken back|put back|waiting as/.test(await health())
  })
  return { status: 403, text }
}

/** Each door, as an administrator of the server tries it: only a rule can be in the way. */
const DOORS: Readonly<Record<string, Try>> = {
  put: (guarded) => guarded.put(OTHER_GOAL),
  post: (guarded) =>
    guarded.call('/api/admin/config.xml', form({ xmlFile: OTHER_GOAL, md5: md5(GUARDED) })),
  'post, at the older address': (guarded) =>
    guarded.call(
      '/admin/restful/configuration/file/POST/xml',
      form({ xmlFile: OTHER_GOAL, md5: md5(GUARDED) }),
    ),
  'the editor': (guarded) =>
    guarded.call(
      '/config/edit',
      form({ xml: OTHER_GOAL, basedOn: md5(GUARDED), entity: '', action: 'save' }),
    ),
  'the editor of one entity': (guarded) =>
    guarded.call(
      '/config/edit',
      form({ xml: OTHER_BILL, basedOn: md5(GUARDED), entity: 'pipeline/bill', action: 'save' }),
    ),
  entity: (guarded) => guarded.call(ENTITY, xml(OTHER_BILL)),
  'a new entity': (guarded) => {
    const body = BILL.replace('name="bill"', 'name="bill-2"')
    const headers = { 'if-none-match': '*' }
    const path = '/api/config/entities/pipeline/bill-2?group=pay'
    return guarded.call(path, { method: 'PUT', body, headers })
  },
  'the end of an entity': (guarded) =>
    guarded.call(ENTITY, { method: 'DELETE', headers: { 'if-match': '*' } }),
  'create-pipeline': (guarded) => {
    const fields = { scm: 'git', url: 'https://example.org/n.git', command: 'make' }
    const path = '/tab/admin/pipelines/bill-3.json'
    return guarded.call(path, form({ ...fields, builder: 'exec', pipelineGroup: 'pay' }))
  },
  restore: (guarded, { made }) =>
    guarded.call(`/api/config/revisions/${made}/restore`, { method: 'POST' }),
  'restore, on its page': (guarded, { made }) =>
    guarded.call(`/config/${made}/restore`, form(RESTORED)),
  'restore of one entity': (guarded, { made }) =>
    guarded.call(`/config/entity/pipeline/bill/restore/${made}`, form(RESTORED)),
  undo: (guarded, { takenBack }) => guarded.call(`/config/${takenBack}/undo`, form(RESTORED)),
  'a proposal of the document': (guarded) => throughProposal(guarded, { document: OTHER_GOAL }),
  'a proposal of an entity': (guarded) =>
    throughProposal(guarded, { entities: [{ kind: 'pipeline', name: 'bill', xml: OTHER_BILL }] }),
  'a commit of git': (guarded) =>
    byOwner(guarded, (folder) => git(folder, 'commit', '--quiet', '-am', 'By hand')),
  'a commit of git that is amended': (guarded) =>
    byOwner(guarded, (folder) =>
      git(folder, 'commit', '--quiet', '--amend', '--allow-empty', '-aCHEAD'),
    ),
  'a merge by git': (guarded) =>
    byOwner(guarded, (folder) => {
      const tree = git(folder, 'stash', 'create').trim()
      const of = ['-p', 'HEAD', '-p', 'HEAD~1', '-m', 'Merged', `${tree}^{tree}`]
      git(folder, 'reset', '--quiet', '--hard', git(folder, 'commit-tree', ...of).trim())
    }),
  'the live file': (guarded) => byOwner(guarded),
  'disabling an agent': (guarded) => guarded.call('/api/agents/u1/disable', { method: 'POST' }),
  'changing an agent': (guarded) =>
    guarded.call('/api/agents/u1', { ...form({ resources: 'x' }), method: 'PATCH' }),
}

/** Doors without a caller, who has no name and no credential. */
const OF_OWNER = [
  'a commit of git',
  'a commit of git that is amended',
  'a merge by git',
  'the live file',
]
/** Rules about a caller. */
const OF_CALLERS = ['a user', 'a credential']
/** Doors that ask for a reason themselves. */
const REASONED = ['restore, on its page', 'restore of one entity', 'undo']
const DONE = [200, 201, 303]

describe('a rule', () => {
  const opened = shared(() => GuardedService.open())
  let past: Past
  beforeAll(async () => {
    const guarded = opened()
    await guarded.put(OTHER_GOAL)
    await guarded.put(GUARDED)
    const [newest, older] = await guarded.revisions()
    past = { made: older?.commitSHA ?? '', takenBack: newest?.commitSHA ?? '' }
  })

  it.each(Object.entries(DOORS))(
    'does not stand in the way by itself: %s',
    async (_door, attempt) => {
      const guarded = opened()
      await guarded.rules(NO_RULES)
      const { status, text } = await attempt(guarded, past)
      const after = await guarded.document()
      await guarded.put(GUARDED)

      expect({ isDone: DONE.includes(status), text }).toMatchObject({ isDone: true })
      expect(after).not.toBe(GUARDED)
    },
  )

  describe.each(Object.keys(KINDS))('about %s', (kind) => {
    beforeAll(() => opened().rules(ruleOf(kind)))

    const doors = Object.entries(DOORS).filter(
      ([door]) =>
        (kind !== 'a reason' || !REASONED.includes(door)) &&
        (!OF_CALLERS.includes(kind) || !OF_OWNER.includes(door)),
    )
    it.each(doors)('holds for %s', async (_door, attempt) => {
      const guarded = opened()
      const { status, text } = await attempt(guarded, past)
      const after = await guarded.document()
      await guarded.reset(ruleOf(kind))

      expect(after).toBe(GUARDED)
      expect([status, text]).toEqual([403, expect.stringContaining('The rule guard ')])
    })
  })
})
