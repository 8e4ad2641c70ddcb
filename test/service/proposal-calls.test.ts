import { beforeAll, describe, expect, it } from 'vitest'
import { ProposalBody, ProposalEntry } from '../../src/wire/proposal-body.ts'
import { PlanBody } from '../../src/wire/plan-body.ts'
import { shared } from '../support/programs/at-end.ts'
import { putRules, rule, TWO_ADMINISTRATORS, TWO_EYES } from '../support/service/ruled-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const OWNER = { as: 'owner:p' }
const PREFER = { prefer: 'propose', 'x-cairn-message': 'Because' }
const OTHER = TWO_ADMINISTRATORS.replace('m1.git', 'x.git')

function pipelineOf(document: string, name = 'm1'): string {
  return new RegExp(`<pipeline name="${name}"[^]*?</pipeline>`).exec(document)?.[0] ?? ''
}

function withSecret(value: string): string {
  const variable = `<variable name="K" secure="true"><value>${value}</value></variable>`
  return TWO_ADMINISTRATORS.replace(
    /(<pipeline name="m1"[^>]*>\n)/,
    `$1      <environmentvariables>\n        ${variable}\n      </environmentvariables>\n`,
  )
}

/** The answer of a call, and its body as the contract has it. */
async function call(service: CalledService, path: string, init: RequestInit & { as?: string }) {
  const answer = await service.fetch(path, { ...OWNER, ...init })
  return { status: answer.status, body: JSON.parse(await answer.text()), headers: answer.headers }
}

function post(service: CalledService, path: string, body: object, as = 'owner:p') {
  const headers = { 'content-type': 'application/json' }
  return call(service, path, { method: 'POST', body: JSON.stringify(body), headers, as })
}

const PROPOSED = { kind: 'pipeline', name: 'm1', xml: pipelineOf(OTHER) }

describe('the calls about proposals', () => {
  const opened = shared(() => openService().then(rule))
  let service: CalledService
  beforeAll(() => {
    service = opened()
  })

  it('answer with these fields and no others', async () => {
    const made = await post(service, '/api/proposals', { title: 'One', entities: [PROPOSED] })
    const { number } = made.body
    const place = `/api/proposals/${number}`
    await post(
      service,
      `${place}/comment`,
      { text: 'Hm', entity: 'pipeline/m1', line: 3 },
      'root:p',
    )
    const approved = await post(service, `${place}/approve`, { version: 1, text: 'Yes' }, 'root:p')
    const listed = await call(service, '/api/proposals?state=open', {})

    expect([made.status, approved.status, listed.status]).toEqual([201, 200, 200])
    expect(made.headers.get('location')).toBe(place)
    expect(ProposalEntry.strict().parse(listed.body[0])).toMatchObject({ number, title: 'One' })
    const detail = ProposalBody.strict().parse(approved.body)
    expect(Object.keys(detail.plan ?? {}).toSorted()).toEqual(
      Object.keys(PlanBody.shape).toSorted(),
    )
    expect(detail).toMatchObject({
      title: 'One',
      message: '',
      author: 'owner',
      contributors: ['owner'],
      state: 'open',
      when: null,
      version: 1,
      entities: ['pipeline/m1'],
      versions: [{ version: 1, by: 'owner' }],
      changes: [{ kind: 'changed', entity: 'pipeline/m1' }],
      plan: { valid: true, base: detail.base, result: detail.result, verdict: { kind: 'allowed' } },
      verdict: { kind: 'allowed', needs: [], warnings: [] },
      approvals: [{ by: 'root', decision: 'approve', version: 1, text: 'Yes', holds: true }],
      comments: [{ by: 'root', version: 1, text: 'Hm', entity: 'pipeline/m1', line: 3 }],
      conflicts: [],
      problems: [],
    })
    expect(detail.approvals[0]?.digest).toBe(detail.approval)
    await post(service, `${place}/close`, {})
  })

  it('count in the plan what the reader may not view', async () => {
    const document = OTHER.replace('h1.git', 'y.git')
    const { body } = await post(service, '/api/proposals', { title: 'Both', document }, 'root:p')
    const hidden = await call(service, `/api/proposals/${body.number}`, {})
    const ofRoot = await call(service, `/api/config/plan?proposal=${body.number}`, {
      method: 'POST',
      as: 'root:p',
    })

    expect(hidden.status).toBe(404)
    expect(PlanBody.strict().parse(ofRoot.body)).toEqual(body.plan)
    await post(service, `/api/proposals/${body.number}/close`, {}, 'root:p')
  })

  it('plan what would be proposed, and keep nothing of it', async () => {
    const before = (await call(service, '/api/proposals', {})).body.length
    const plan = await post(service, '/api/config/plan', { title: 'One', entities: [PROPOSED] })
    const broken = { ...PROPOSED, xml: '<pipeline name="m1"><nothing/></pipeline>' }
    const invalid = await post(service, '/api/config/plan', { entities: [broken] })
    const stranger = await post(service, '/api/config/plan', {
      entities: [{ ...PROPOSED, name: 'h1', xml: pipelineOf(OTHER, 'h1') }],
    })

    expect(plan.status).toBe(200)
    expect(PlanBody.strict().parse(plan.body)).toMatchObject({
      valid: true,
      changes: [{ entity: 'pipeline/m1' }],
      verdict: { kind: 'needs', needs: [{ rule: 'two-eyes' }] },
    })
    expect([invalid.status, invalid.body.valid]).toEqual([200, false])
    expect(stranger.status).toBeGreaterThanOrEqual(400)
    expect((await call(service, '/api/proposals', {})).body).toHaveLength(before)
  })

  it('show the sides of a conflict, with secrets hidden', async () => {
    await putRules(service, 'version: 1\nrules: []\n')
    await save(service, withSecret('first'), 'root:p')
    const { body } = await post(
      service,
      '/api/proposals',
      { title: 'Secret', document: withSecret('second') },
      'root:p',
    )
    await save(service, withSecret('third'), 'root:p')
    const { body: conflicting } = await call(service, `/api/proposals/${body.number}`, {})
    await save(service, TWO_ADMINISTRATORS, 'root:p')
    await putRules(service, TWO_EYES)

    const { conflicts } = ProposalBody.strict().parse(conflicting)
    expect(conflicts).toMatchObject([{ entity: 'pipeline/m1' }])
    expect(Object.keys(conflicts[0] ?? {}).toSorted()).toEqual([
      'base',
      'canBeBoth',
      'entity',
      'ours',
      'path',
      'theirs',
    ])
    expect(JSON.stringify(conflicts)).not.toContain('AES:')
  })
})

describe('a refusal by rules', () => {
  const opened = shared(() => openService().then(rule))
  let service: CalledService
  beforeAll(() => {
    service = opened()
  })

  it('names what is needed, and where to propose', async () => {
    const refused = await call(service, '/api/config/entities/pipeline/m1', {
      method: 'PUT',
      headers: { 'if-match': '*' },
      body: PROPOSED.xml,
    })

    expect(refused.status).toBe(403)
    expect(refused.body).toEqual({
      message: expect.stringContaining('two-eyes'),
      needs: [{ rule: 'two-eyes', of: [expect.any(String)], reason: expect.any(String) }],
      propose: '/api/proposals',
    })
  })

  it('names the end of a window, and where to propose', async () => {
    const year = new Date().getFullYear()
    await putRules(
      service,
      `version: 1
rules:
  - name: freeze
    window: { from: ${year - 1}-01-01, to: ${year + 1}-01-01, zone: UTC }
    match: { entity: "pipeline in group/mine" }
    effect: deny
    except: user/root
`,
    )
    const refused = await save(service, OTHER, 'owner:p')
    await putRules(service, TWO_EYES)

    expect(refused.status).toBe(403)
    expect(JSON.parse(await refused.text())).toMatchObject({
      needs: [{ rule: 'freeze', of: ['user/root'], until: `${year + 1}-01-02T00:00:00.000Z` }],
      propose: '/api/proposals',
    })
  })

  const FORM = 'application/x-www-form-urlencoded'
  it.each([
    ['PUT', '/api/admin/config.xml', { 'if-match': '*' }, OTHER],
    ['PUT', '/api/config/entities/pipeline/m1', { 'if-match': '*' }, PROPOSED.xml],
    ['DELETE', '/api/config/entities/pipeline/m1', { 'if-match': '*' }, undefined],
    [
      'POST',
      '/tab/admin/pipelines/fresh.json',
      { 'content-type': FORM },
      'url=https%3A%2F%2Fexample.org%2Fx&scm=git&builder=exec&command=make&pipelineGroup=mine',
    ],
    ['POST', '/api/config/revisions/BEFORE/restore', {}, undefined],
    ['POST', '/api/config/revisions/SAVED/undo', {}, undefined],
    ['POST', '/api/config/entities/pipeline/m1/restore?to=BEFORE', {}, undefined],
  ])('becomes a proposal by %s %s where the caller prefers one', async (...sent) => {
    const [method, path, headers, body] = sent
    await putRules(service, 'version: 1\nrules: []\n')
    await save(service, TWO_ADMINISTRATORS.replace('m1.git', 'then.git'), 'root:p')
    await putRules(service, TWO_EYES)
    const revisions = await call(service, '/api/config/revisions', { as: 'root:p' })
    // The rules are the newest one.
    const saved = revisions.body.length - 1
    const at = path.replace('SAVED', `r${saved}`).replace('BEFORE', `r${saved - 1}`)
    const init = { method, headers: { ...headers, ...PREFER }, ...(body ? { body } : {}) }
    const proposed = await call(service, at, init)

    expect(proposed.status).toBe(202)
    expect(ProposalBody.strict().parse(proposed.body)).toMatchObject({
      title: 'Because',
      message: 'Because',
      author: 'owner',
      state: 'open',
      verdict: { kind: 'needs', needs: [{ rule: 'two-eyes' }] },
    })
    expect(proposed.headers.get('location')).toBe(`/api/proposals/${proposed.body.number}`)
    await putRules(service, 'version: 1\nrules: []\n')
    await save(service, TWO_ADMINISTRATORS, 'root:p')
    await putRules(service, TWO_EYES)
  })

  it('proposes nothing upon an entity that has changed since', async () => {
    const put = (digest: string) =>
      call(service, '/api/config/entities/pipeline/m1', {
        method: 'PUT',
        headers: { 'if-match': `"${digest}"`, ...PREFER },
        body: PROPOSED.xml,
        as: 'owner:p',
      })
    const stale = await put('0'.repeat(32))
    const current = await service.fetch('/api/config/entities/pipeline/m1', OWNER)
    const fresh = await put(current.headers.get('etag')?.replaceAll('"', '') ?? '')

    expect([stale.status, fresh.status]).toEqual([412, 202])
  })
})

describe('a decision about an agent that rules leave to others', () => {
  it('is refused whatever is preferred, and proposed as an entity', async () => {
    const service = await openService().then((each) => rule(each, 'version: 1\nrules: []\n'))
    const agent = '<agent hostname="b" ipaddress="1.1.1.1" uuid="u1" />'
    const agents = `  <agents>\n    ${agent}\n  </agents>\n</cruise>`
    await save(service, TWO_ADMINISTRATORS.replace('</cruise>', agents), 'root:p')
    const need = 'match: { entity: agent/* }, need: [{ approvals: 1, of: admins }], not: [author]'
    await putRules(service, `version: 1\nrules: [{ name: agents, ${need} }]\n`)
    const root = { as: 'root:p', headers: { ...PREFER, 'if-match': '*' } }

    const decided = await call(service, '/api/agents/u1/disable', { ...root, method: 'POST' })
    const body = agent.replace(' uuid', ' isDisabled="true" uuid')
    const put = { ...root, method: 'PUT', body }
    const proposed = await call(service, '/api/config/entities/agent/u1', put)

    expect([decided.status, decided.body.propose]).toEqual([403, '/api/proposals'])
    expect(proposed.status).toBe(202)
    expect(proposed.body).toMatchObject({ title: 'Because', entities: ['agent/u1'] })
  })
})
