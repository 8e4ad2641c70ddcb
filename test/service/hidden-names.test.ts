import { beforeAll, describe, expect, it } from 'vitest'
import { shared } from '../support/programs/at-end.ts'
import { DELEGATED, type Person } from '../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../support/service/delegated-service.ts'
import { putRules } from '../support/service/ruled-service.ts'
import { secure } from '../support/service/secured-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const ROOT = loginOf('root')
const ANY = { 'if-match': '*' }
const WITHIN = { timeout: 15_000, interval: 100 }

/** The delegated document, whose hidden pipeline is made of the template that somebody else administers. */
const SHARED = DELEGATED.replace(
  '<pipeline name="h2" template="t-hidden">',
  '<pipeline name="h2" template="tpl">',
)
const RULES = `version: 1
rules:
  - name: eyes
    match: { entity: pipeline in group/hidden }
    need: [{ approvals: 1, of: admins of the group }]
  - name: freeze
    match: { entity: pipeline in group/hidden, door: put }
    effect: deny
  - name: look
    match: { entity: pipeline in group/hidden }
    effect: warn
`
/** The words of the rule to somebody who may view neither the pipeline nor its group. */
const UNNAMED = 'The rule eyes needs an approval by admins of another group for another pipeline'
const NAMED = 'The rule eyes needs an approval by admins of the group hidden for pipeline/h2'
const TEMPLATE = {
  kind: 'template',
  name: 'tpl',
  xml: /<pipeline name="tpl">[^]*?<\/pipeline>/.exec(DELEGATED)?.[0]?.replace('make', 'build'),
}

function removal(kind: string, name: string) {
  return { title: 'Remove', entities: [{ kind, name, xml: null }] }
}

async function textOf(asked: Promise<Response>): Promise<string> {
  const answer = await asked
  return `${answer.status} ${await answer.text()}`
}

describe('the names of what a caller may not view', () => {
  const opened = shared(async () => delegate(await openService()))
  let service: CalledService
  beforeAll(() => {
    service = opened()
  })
  const call = (person: Person, path: string, init: RequestInit = {}) =>
    textOf(service.fetch(path, { ...init, as: loginOf(person) }))
  const post = (person: Person, path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    return call(person, path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  it('are in no refusal of one entity: it is refused as if it were not there', async () => {
    const told = async (kind: string, name: string) => {
      const path = `/api/config/entities/${kind}/${name}`
      const query = `entity=${kind}/${name}`
      const xml = `<pipeline name="${name}" />`
      const answers = [
        await call('owner', path),
        await call('owner', `${path}?at=r1`),
        await call('owner', path, { method: 'PUT', headers: ANY, body: xml }),
        await call('owner', path, { method: 'DELETE', headers: ANY }),
        await call('owner', `${path}/restore?to=current`, { method: 'POST' }),
        await call('owner', `/api/config/blame/current?${query}`),
        await call('owner', `/api/config/changes/current?${query}`),
        await call('owner', `/api/config/diff/r1/current?${query}`),
        await call('owner', `/api/config/revisions?${query}`),
        await call('owner', `/api/config/watch?${query}`),
        await call('owner', `/config/edit?${query}`),
      ]
      return answers.map((text) => /User [^<"]*/.exec(text.replaceAll(name, 'NAME'))?.[0])
    }

    for (const [kind, hidden] of [
      ['pipeline', 'h1'],
      ['group', 'hidden'],
      ['template', 't-hidden'],
    ] as const) {
      expect([kind, await told(kind, hidden)]).toEqual([kind, await told(kind, 'no-such')])
    }
    expect(await call('owner', '/api/config/entities/pipeline/s1')).toContain(
      'User owner may not administer the pipeline group shown',
    )
  })

  it('are not told by what would go with a change that is proposed', async () => {
    for (const [kind, hidden] of [
      ['pipeline', 'h1'],
      ['group', 'hidden'],
      ['template', 't-hidden'],
      ['scm', 's-hidden'],
      ['environment', 'live'],
      ['role', 'devs'],
    ] as const) {
      expect([kind, await post('owner', '/api/proposals', removal(kind, hidden))]).toEqual([
        kind,
        await post('owner', '/api/proposals', removal(kind, 'no-such')),
      ])
    }
  })

  it('are not told by the rules that a template makes them meet', async () => {
    await save(service, SHARED, ROOT)
    await putRules(service, RULES)
    const { kind, name, xml = '' } = TEMPLATE
    const path = `/api/config/entities/${kind}/${name}`
    const plan = `/api/config/plan?entity=${kind}/${name}`
    const entities = [{ kind, name, xml }]

    const own = [
      await call('templater', path, { method: 'PUT', headers: ANY, body: xml }),
      await call('templater', plan, { method: 'POST', body: xml }),
      await post('templater', '/api/proposals', { title: 'Build', entities }),
      await post('templater', '/api/config/plan', { entities }),
    ]
    const all = await call('root', '/api/proposals/1')

    for (const told of own) expect(told).toContain(UNNAMED)
    expect(own.join('')).not.toMatch(/\bh2\b|group.hidden/)
    expect(all).toContain(NAMED)
  })

  it('are not told to those who see why a proposal of somebody else is held up', async () => {
    await save(service, SHARED, ROOT)
    await putRules(service, RULES)
    const { kind, name, xml } = TEMPLATE
    const proposed = { title: 'Held', when: 'approved', entities: [{ kind, name, xml }] }
    const { number } = JSON.parse((await post('root', '/api/proposals', proposed)).slice(4))

    await expect
      .poll(() => call('templater', `/api/proposals/${number}`), WITHIN)
      .toContain(`"held":"${UNNAMED}`)

    expect(await call('templater', `/proposals/${number}`)).not.toMatch(/(?:pipeline.|>)h2\b/)
  })

  it('are not told by the material of theirs that cannot be read', async () => {
    const polling = await openService(['--material-interval', '200ms'])
    await secure(polling)
    const retry = (as: string, fingerprint: string) => {
      const path = `/problems/materials/${fingerprint}`
      return polling.fetch(path, { method: 'POST', as, redirect: 'manual' })
    }
    const place = /\/problems\/materials\/(\w+)"/
    const problems = () => textOf(polling.fetch('/problems', { as: ROOT }))
    await expect.poll(problems, WITHIN).toMatch(place)
    const [, fingerprint = ''] = place.exec(await problems()) ?? []

    const hidden = await textOf(retry('stranger:p', fingerprint))
    const seen = await textOf(retry('viewer:p', fingerprint))

    expect(hidden).toMatch(/^403 /)
    expect(hidden).not.toContain('hello')
    expect(seen).toMatch(/^403 .*may not operate the pipeline hello/)
  })

  it('are not told by the rules about what a document lacks', async () => {
    await save(service, SHARED, ROOT)
    await putRules(service, RULES)
    const body = SHARED.replace(/ {4}<pipeline name="h1">[^]*?<\/pipeline>\n/, '')

    const told = await call('owner', '/api/admin/config.xml', {
      method: 'PUT',
      headers: ANY,
      body,
    })

    expect(told).toMatch(/^403 .*another pipeline/)
    expect(told).toContain('The rule freeze allows no change of another pipeline')
    expect(told).not.toMatch(/\bh1\b|hidden/)
  })
})
