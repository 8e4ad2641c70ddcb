import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { shared } from '../support/programs/at-end.ts'
import { DELEGATED, DELEGATED_CASES, type Person } from '../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../support/service/delegated-service.ts'
import { REASONED, rule, TWO_ADMINISTRATORS } from '../support/service/ruled-service.ts'
import { save } from '../support/service/saving.ts'
import { openService } from '../support/service/service.ts'

/** The document, with a timer for m1, and h1 and s1 behind it. */
const DOCUMENT = DELEGATED.replace(
  '<pipeline name="m1">',
  '<pipeline name="m1">\n      <timer>0 0 3 * * ?</timer>',
).replaceAll(
  /[hs]1\.git" dest="git" \/>/g,
  '$&\n        <pipeline pipelineName="m1" stageName="build" />',
)

function textOf(name: string, document = DOCUMENT): string {
  return new RegExp(`<pipeline name="${name}"[^]*?</pipeline>`).exec(document)?.[0] ?? ''
}

describe('the plan of one entity', () => {
  const service = shared(async () => {
    const opened = await delegate(await openService())
    await save(opened, DOCUMENT, loginOf('root'))
    return opened
  })

  async function plan(person: Person, query: string, xml: string) {
    const init = { method: 'POST', body: xml, as: loginOf(person) }
    const answer = await service().fetch(`/api/config/plan?entity=${query}`, init)
    return { status: answer.status, body: JSON.parse(await answer.text()) }
  }

  async function planWhole(person: Person, body: string) {
    const init = { method: 'POST', body, as: loginOf(person) }
    const answer = await service().fetch('/api/config/plan', init)
    return { status: answer.status, text: await answer.text() }
  }

  it('says what starts, stops and changes, between which digests, and that it may be saved', async () => {
    const xml = textOf('m1')
      .replace(/\s*<timer>.*/, '')
      .replace('m1.git', 'x.git')

    const { status, body } = await plan('owner', 'pipeline/m1', xml)

    expect(status).toBe(200)
    const whole = DOCUMENT.replace(textOf('m1'), () => xml)
    const [base, result] = [DOCUMENT, whole].map((text) =>
      createHash('md5').update(text).digest('hex'),
    )
    expect(body).toMatchObject({
      valid: true,
      base,
      result,
      verdict: { kind: 'allowed', needs: [] },
      touches: { pipelines: ['m1'] },
      hidden: { changes: 0, touches: 0 },
    })
    expect(body.stops.map(({ because }: { because: string }) => because)).toEqual([
      'it loses its timer',
      expect.stringContaining('it loses the material'),
    ])
    expect(body.changes.every(({ entity }: { entity: string }) => entity === 'pipeline/m1')).toBe(
      true,
    )
  })

  it('says to a viewer whose decision the save would need', async () => {
    const { body } = await plan('owner', 'pipeline/s1', textOf('s1').replace('s1.git', 'x.git'))

    expect(body.verdict).toMatchObject({
      kind: 'needs',
      needs: [{ rule: 'delegation', of: ['administrators of the server'] }],
    })
  })

  it('counts what the caller may not view', async () => {
    const document =
      DELEGATED_CASES.find(({ what }) => what === 'a task of the template tpl')?.document ?? ''
    const uses = DOCUMENT.replace('template="t-hidden"', 'template="tpl"')
    await save(service(), uses, loginOf('root'))
    const [text = ''] = /<pipeline name="tpl">[^]*?<\/pipeline>/.exec(document) ?? []

    const { body } = await plan('templater', 'template/tpl', text)
    await save(service(), DOCUMENT, loginOf('root'))

    expect(body).toMatchObject({ touches: { pipelines: [] }, hidden: { touches: 1, changes: 0 } })
    expect(JSON.stringify(body)).not.toContain('h2')
  })

  it('counts the errors in what the caller may not view, and places its own in the text that was sent', async () => {
    const broken = await plan(
      'owner',
      'pipeline/m1',
      textOf('m1').replace('name="build"', 'name="else"'),
    )
    const own = await plan('owner', 'pipeline/m1', textOf('m1').replace('<git url', '<git urll'))

    expect(broken.body).toMatchObject({ valid: false, result: null, verdict: null })
    expect(broken.body.errors.at(-1).message).toContain('what others administer')
    expect(JSON.stringify(broken.body)).not.toContain('h1')
    expect(own.body.errors[0]).toMatchObject({ line: 4, message: expect.stringContaining('url') })
  })

  it('plans a new pipeline in a group that may be viewed, and every entity for administrators', async () => {
    const fresh = textOf('o1').replaceAll('o1', 'o3')

    const statuses = [
      await plan('owner', 'pipeline/o3&group=ours', fresh),
      await plan('root', 'agent/u1', '<agent hostname="else" ipaddress="127.0.0.1" uuid="u1" />'),
    ].map(({ body }) => [body.valid, body.verdict?.kind])

    expect(statuses).toEqual([
      [true, 'allowed'],
      [true, 'allowed'],
    ])
  })

  it('is for those who may view the entity', async () => {
    const statuses = [
      await plan('owner', 'pipeline/h1', textOf('h1')),
      await plan('owner', 'pipeline/h3&group=hidden', textOf('h1').replaceAll('h1', 'h3')),
      await plan('owner', 'agent/u1', '<agent hostname="else" ipaddress="127.0.0.1" uuid="u1" />'),
      await plan('viewer', 'pipeline/m1', textOf('m1')),
      await plan('owner', 'nothing/m1', textOf('m1')),
      await plan('owner', 'pipeline/m1', '<pipeline name="else" />'),
    ].map(({ status }) => status)

    expect(statuses).toEqual([403, 403, 403, 403, 400, 400])
  })

  it('is that of the whole document too, for those who may view all that it changes', async () => {
    const xml = textOf('m1').replace('m1.git', 'x.git')

    const whole = await planWhole(
      'owner',
      DOCUMENT.replace(textOf('m1'), () => xml),
    )
    const refused = [
      await planWhole('viewer', DOCUMENT.replace('m1.git', 'x.git')),
      await planWhole('owner', DOCUMENT.replace('h1.git', 'x.git')),
      await planWhole('owner', DOCUMENT.replace(textOf('h1'), '')),
      await planWhole('owner', DOCUMENT.replace('<user>root</user>', '$&<user>owner</user>')),
    ]
    const broken = await planWhole('owner', DOCUMENT.replace('<git url', '<git urll'))

    expect(JSON.parse(whole.text)).toEqual((await plan('owner', 'pipeline/m1', xml)).body)
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(refused.map(({ text }) => text).join('')).not.toContain('h1')
    expect([broken.status, JSON.parse(broken.text)]).toMatchObject([200, { valid: false }])
  })
})

describe('a plan under a rule that asks for a reason', () => {
  const service = shared(() => openService().then((opened) => rule(opened, REASONED)))
  const xml = textOf('m1', TWO_ADMINISTRATORS).replace('m1.git', 'x.git')
  const document = TWO_ADMINISTRATORS.replace('m1.git', 'x.git')
  const json = { entities: [{ kind: 'pipeline', name: 'm1', xml }] }

  it.each([
    ['a document', '', document, {}],
    ['an entity', '?entity=pipeline/m1', xml, {}],
    ['a content to propose', '', JSON.stringify(json), { 'content-type': 'application/json' }],
    ['one of a type in capitals', '', JSON.stringify(json), { 'content-type': 'Application/JSON' }],
  ])('judges %s by the reason that comes with it', async (_what, query, body, type) => {
    const kindWith = async (headers: Record<string, string>) => {
      const init = { method: 'POST', body, headers: { ...type, ...headers }, as: 'root:p' }
      const answer = await service().fetch(`/api/config/plan${query}`, init)
      return JSON.parse(await answer.text()).verdict.kind
    }

    expect([await kindWith({}), await kindWith({ 'x-cairn-message': 'outage' })]).toEqual([
      'needs',
      'allowed',
    ])
  })
})
