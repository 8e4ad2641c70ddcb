import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '../../src/api/definition/sample.ts'
import { git } from '../support/git/git.ts'
import { shared } from '../support/programs/at-end.ts'
import {
  ask,
  documentWithHelpers,
  labelled,
  proposeLabel,
  viewedByHelpers,
} from '../support/proposals/proposing.ts'
import { save } from '../support/service/saving.ts'
import { type Role, securedDocument } from '../support/service/secured-document.ts'
import { loginOf, secure } from '../support/service/secured-service.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const ROOT = loginOf('root') ?? ''
const WITHIN = { timeout: 15_000, interval: 100 }
const NO_RIGHT = 'The change touches what you may not view'

/** The secured document with another label, or another line in the group. */
function documentWithLabel(label: string): string {
  return securedDocument().replace(
    '<pipeline name="hello"',
    `<pipeline name="hello" labeltemplate="${label}-\${COUNT}"`,
  )
}

/** A group that only administrators may view, whose pipeline depends on the one that others may view. */
const DOWNSTREAM = `  <pipelines group="elsewhere">
    <authorization><admins><user>somebody</user></admins></authorization>
    <pipeline name="secretive">
      <materials><pipeline pipelineName="hello" stageName="${SAMPLE.stage}" /></materials>
      <stage name="all"><jobs><job name="one"><tasks><ant /></tasks></job></jobs></stage>
    </pipeline>
  </pipelines>
`

async function textOf(answered: Promise<Response>): Promise<string> {
  const answer = await answered
  return `${answer.status} ${await answer.text()}`
}

async function labelNow(service: CalledService): Promise<string> {
  const document = await (await service.fetch('/api/admin/config.xml', { as: ROOT })).text()
  return /labeltemplate="(\w+)-/.exec(document)?.[1] ?? ''
}

describe('proposals', () => {
  const opened = shared(async () => {
    const made = await openService()
    await secure(made)
    return made
  })
  let service: CalledService
  beforeAll(() => {
    service = opened()
  })
  const reset = () => save(service, securedDocument(), ROOT)
  const trailers = () =>
    git(service.repository, 'log', '-1', '--format=%an%n%(trailers:only)').split('\n')

  it('are made by those who may view all that they touch, and seen by nobody else', async () => {
    await reset()
    const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled('seen') }]
    const refused = await ask(service, 'stranger', '', { title: 'Label', entities })
    const made = await ask(service, 'viewer', '', { title: 'Label', message: 'Why', entities })
    const { number } = made.body

    expect([refused.status, refused.body]).toMatchObject([403, { message: NO_RIGHT }])
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      title: 'Label',
      message: 'Why',
      author: 'viewer',
      contributors: ['viewer'],
      state: 'open',
      entities: ['pipeline/hello'],
      changes: [{ kind: 'changed', entity: 'pipeline/hello', subject: 'labeltemplate' }],
      verdict: { kind: 'needs', needs: [{ rule: 'delegation' }] },
      conflicts: [],
    })
    expect((await ask(service, 'owner', `/${number}`)).status).toBe(200)
    expect((await ask(service, 'stranger', `/${number}`)).status).toBe(404)
    expect((await ask(service, 'stranger', '?state=open')).body).toEqual([])
    expect((await ask(service, 'owner', '?state=open')).body).toMatchObject([{ number }])
    await ask(service, 'viewer', `/${number}/close`, { text: 'Never mind' })
    expect((await ask(service, 'owner', '?state=closed')).body).toMatchObject([
      { number, closedBecause: 'Never mind' },
    ])
  })

  it('are merged in the name of their author once somebody approves who might save the change', async () => {
    await reset()
    const number = await proposeLabel(service, 'viewer', 'good')

    const waiting = async () => (await ask(service, 'owner', '?waiting-for=me')).body
    const awaited = await waiting()
    const own = await ask(service, 'viewer', `/${number}/approve`, {})
    const early = await ask(service, 'viewer', `/${number}/merge`, {})
    const approved = await ask(service, 'owner', `/${number}/approve`, { version: 1, text: 'Fine' })
    const merged = await ask(service, 'viewer', `/${number}/merge`, {})
    const again = await ask(service, 'owner', `/${number}/merge`, {})

    expect([own, early, approved, merged, again].map(({ status }) => status)).toEqual([
      200, 403, 200, 200, 409,
    ])
    expect(early.body.needs).toMatchObject([{ rule: 'delegation' }])
    expect(awaited).toMatchObject([{ number }])
    expect(await waiting()).toEqual([])
    expect((await ask(service, 'viewer', '?waiting-for=me')).body).toEqual([])
    expect(approved.body.approvals).toMatchObject([
      { by: 'viewer', decision: 'approve' },
      { by: 'owner', decision: 'approve', holds: true, text: 'Fine' },
    ])
    const { digest = '' } = approved.body.approvals[1] ?? {}
    expect(merged.body).toMatchObject({ state: 'merged', version: 1 })
    expect(await labelNow(service)).toBe('good')
    const lines = trailers()
    expect(lines[0]).toBe('viewer')
    expect(lines).toContain(`Proposal: ${number}`)
    expect(lines).toContain(`Approved-by: owner ${digest}`)
    expect(git(service.repository, 'log', '-1', '--format=%s')).toContain('Label good')
  })

  it('tell of others only what may be viewed where they would not be valid', async () => {
    await reset()
    const document = securedDocument().replace('</cruise>', `${DOWNSTREAM}</cruise>`)
    expect((await save(service, document, ROOT)).status).toBe(200)
    const content = { entities: [{ kind: 'pipeline', name: 'hello', xml: null }] }
    const misspelt = labelled('x').replace('</tasks>', '<ants /></tasks>')
    const send = (role: Role, path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body), as: loginOf(role) }
      return service.fetch(path, init)
    }
    const told = async (role: Role) => [
      await textOf(send(role, '/api/proposals', { title: 'Remove', ...content })),
      await textOf(send(role, '/api/config/plan', content)),
    ]

    expect(await told('viewer')).toEqual([
      expect.stringMatching(/^422 .*The change breaks what others administer/),
      expect.stringMatching(/^200 .*The change breaks what others administer/),
    ])
    expect((await told('viewer')).join('')).not.toContain('secretive')
    expect((await told('root')).join('')).toContain('secretive')
    const entities = [{ kind: 'pipeline', name: 'hello', xml: misspelt }]
    expect(await textOf(send('viewer', '/api/config/plan', { entities }))).toContain('ants')
    await reset()
  })

  it('have the places of errors in the texts that were sent', async () => {
    const hello = labelled('x').replace('</tasks>', '\n  <ants /></tasks>').trim()
    const misspelt = { kind: 'pipeline', name: 'hello', xml: hello }
    const unnamed = { kind: 'pipeline', name: 'new', group: 'first', xml: '<pipeline name="new"/>' }
    const entities = [unnamed, misspelt]
    const line = hello.split('\n').findIndex((each) => each.includes('<ants')) + 1
    const unknown = { message: expect.stringContaining('"ants"'), line, column: 3 }
    const missing = { message: 'pipeline needs one "materials"', line: 1, column: 1 }
    const post = (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      return service.fetch(path, { ...init, as: loginOf('viewer') })
    }

    const proposed = await post('/api/proposals', { title: 'Two', entities })
    const planned = await post('/api/config/plan', { entities })
    const saved = await service.fetch('/api/config/entities/pipeline/hello', {
      method: 'PUT',
      headers: { 'if-match': '*', prefer: 'propose' },
      body: hello,
      as: loginOf('viewer'),
    })

    expect([proposed, planned, saved].map(({ status }) => status)).toEqual([422, 200, 422])
    for (const answer of [proposed, planned]) {
      expect(await answer.json()).toMatchObject({ errors: [unknown, missing] })
    }
    expect(await saved.json()).toMatchObject({
      message: expect.stringContaining(`line ${line}, column 3`),
      errors: [unknown],
    })
  })

  it('tell of others nothing where merging reaches what refers to a renamed pipeline', async () => {
    await reset()
    const document = securedDocument().replace('name="hello"', 'name="greeting"')
    const { body } = await ask(service, 'viewer', '', { title: 'Rename', document })
    const rules =
      'version: 1\nrules: [{ name: look, effect: warn }, { name: calm, effect: deny }]\n'
    const referring = securedDocument().replace('</cruise>', `${DOWNSTREAM}</cruise>`)
    expect((await save(service, referring, ROOT)).status).toBe(200)
    const put = { method: 'PUT', headers: { 'if-none-match': '*' }, body: rules, as: ROOT }
    expect((await service.fetch('/api/admin/rules.yaml', put)).status).toBe(200)

    const all = await ask(service, 'root', `/${body.number}`)
    const seen = await ask(service, 'viewer', `/${body.number}`)
    const page = await service.fetch(`/proposals/${body.number}`, { as: loginOf('viewer') })
    const empty = { ...put, headers: { 'if-match': '*' }, body: 'version: 1\nrules: []\n' }
    expect((await service.fetch('/api/admin/rules.yaml', empty)).status).toBe(200)

    expect(all.body.changes.map(({ entity }) => entity)).toContain('pipeline/secretive')
    expect(JSON.stringify(all.body.verdict)).toContain('pipeline/secretive')
    expect(seen.body.changes.map(({ entity }) => entity)).toEqual(['pipeline/greeting'])
    expect(JSON.stringify(seen.body)).not.toContain('secretive')
    expect(seen.body.verdict?.needs.map(({ rule }) => rule)).toEqual(['delegation', 'calm'])
    expect(await page.text()).not.toContain('secretive')
    await ask(service, 'viewer', `/${body.number}/close`, {})
    await reset()
  })

  it('are merged without a review by those who might save the change', async () => {
    await reset()
    const number = await proposeLabel(service, 'viewer', 'own')

    expect((await ask(service, 'owner', `/${number}/merge`, {})).status).toBe(200)
    expect(await labelNow(service)).toBe('own')
    expect(trailers()[0]).toBe('viewer')
  })

  it('lose an approval with every changed byte of their entities, and with none elsewhere', async () => {
    await reset()
    const number = await proposeLabel(service, 'viewer', 'void')
    await ask(service, 'owner', `/${number}/approve`, {})
    const held = async () => (await ask(service, 'owner', `/${number}`)).body.approvals[0]?.holds

    const other = securedDocument().replace(
      '</cruise>',
      '  <agents>\n    <agent hostname="b" ipaddress="1.1.1.1" uuid="u1" />\n  </agents>\n</cruise>',
    )
    await save(service, other, ROOT)
    const elsewhere = await held()
    await save(service, other.replace('/nowhere', '/elsewhere'), ROOT)
    const inside = await held()
    const refused = await ask(service, 'viewer', `/${number}/merge`, {})
    await save(service, other, ROOT)
    const back = await held()

    expect([elsewhere, inside, back]).toEqual([true, false, true])
    expect(refused.status).toBe(403)
    await ask(service, 'viewer', `/${number}/close`, {})
  })

  it('lose an approval where they would let in more people than its giver has seen', async () => {
    await save(service, documentWithHelpers('operator'), ROOT)
    const { body } = await ask(service, 'viewer', '', {
      title: 'Help',
      entities: [viewedByHelpers()],
    })
    await ask(service, 'owner', `/${body.number}/approve`, {})
    const merge = async () => (await ask(service, 'viewer', `/${body.number}/merge`, {})).status

    await save(service, documentWithHelpers('operator', 'stranger'), ROOT)
    const withStranger = await merge()
    await save(service, documentWithHelpers('operator'), ROOT)

    expect([withStranger, await merge()]).toEqual([403, 200])
  })

  it('lose their approvals with a new version, whose author is a contributor', async () => {
    await reset()
    const number = await proposeLabel(service, 'viewer', 'first')
    await ask(service, 'root', `/${number}/approve`, { version: 1 })

    const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled('second') }]
    const updated = await ask(service, 'owner', `/${number}/update`, { entities })
    const outdated = await ask(service, 'root', `/${number}/approve`, { version: 1 })
    const merge = await ask(service, 'viewer', `/${number}/merge`, {})

    expect(updated.body).toMatchObject({
      version: 2,
      author: 'viewer',
      contributors: ['viewer', 'owner'],
      approvals: [{ by: 'root', holds: false }],
    })
    expect([outdated.status, merge.status]).toEqual([409, 403])
    await ask(service, 'viewer', `/${number}/close`, {})
  })

  it('name in their commit the approvals of what it changes, and of nothing else', async () => {
    await reset()
    const number = await proposeLabel(service, 'viewer', 'before')
    await ask(service, 'owner', `/${number}/approve`, {})
    const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled('after') }]
    await ask(service, 'viewer', `/${number}/update`, { entities })
    const { body } = await ask(service, 'root', `/${number}/approve`, {})
    const merged = await ask(service, 'viewer', `/${number}/merge`, {})

    expect(merged.status).toBe(200)
    expect(trailers().filter((line) => line.startsWith('Approved-by'))).toEqual([
      `Approved-by: root ${body.approval}`,
    ])
    expect(merged.body.approvals.map(({ by, holds }) => [by, holds])).toEqual([
      ['owner', false],
      ['root', true],
    ])
  })

  it('wait for those who may approve them, and for nobody while others have changed the same', async () => {
    await reset()
    const number = await proposeLabel(service, 'viewer', 'mine')
    const isAwaited = async () => {
      const { body } = await ask(service, 'owner', '?waiting-for=me')
      return JSON.stringify(body).includes(`"number":${number},`)
    }
    const seen = [await isAwaited()]
    await save(service, `${securedDocument()}<!-- later -->\n`, ROOT)
    seen.push(await isAwaited())
    await save(service, documentWithLabel('theirs'), ROOT)
    seen.push(await isAwaited())
    await reset()
    seen.push(await isAwaited())

    expect(seen).toEqual([true, true, false, true])
    await ask(service, 'viewer', `/${number}/close`, {})
  })

  it('wait again for those who have reviewed something else', async () => {
    await reset()
    const number = await proposeLabel(service, 'viewer', 'once')
    const isAwaited = async (role: Role) => {
      const { body } = await ask(service, role, '?waiting-for=me')
      return JSON.stringify(body).includes(`"number":${number},`)
    }
    const update = async (label: string) => {
      const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled(label) }]
      await ask(service, 'viewer', `/${number}/update`, { entities })
    }
    await ask(service, 'owner', `/${number}/approve`, {})
    const afterApproval = await isAwaited('owner')
    await update('twice')
    const withNewVersion = await isAwaited('owner')
    await ask(service, 'owner', `/${number}/reject`, {})
    const afterRejection = await isAwaited('owner')
    await update('thrice')

    expect([afterApproval, withNewVersion, afterRejection]).toEqual([false, true, false])
    expect([await isAwaited('owner'), await isAwaited('root')]).toEqual([true, false])
    await ask(service, 'viewer', `/${number}/close`, {})
  })

  it('are held up by a rejection until it is taken back', async () => {
    await reset()
    const number = await proposeLabel(service, 'viewer', 'bad')
    await ask(service, 'owner', `/${number}/approve`, {})
    await ask(service, 'root', `/${number}/reject`, { text: 'No' })
    const rejected = await ask(service, 'viewer', `/${number}/merge`, {})
    await ask(service, 'root', `/${number}/reject`, { takeBack: true })

    expect(rejected.status).toBe(403)
    expect((await ask(service, 'viewer', `/${number}/merge`, {})).status).toBe(200)
  })

  it('name what others have changed in another way since', async () => {
    await reset()
    await save(service, documentWithLabel('start'), ROOT)
    const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled('mine') }]
    const { body } = await ask(service, 'viewer', '', { title: 'Mine', entities })
    await save(service, documentWithLabel('theirs'), ROOT)

    const conflicting = await ask(service, 'viewer', `/${body.number}`)
    const statuses = [
      (await ask(service, 'owner', `/${body.number}/approve`, {})).status,
      (await ask(service, 'owner', `/${body.number}/merge`, {})).status,
    ]

    expect(conflicting.body.conflicts).toMatchObject([{ entity: 'pipeline/hello' }])
    expect(conflicting.body).toMatchObject({ plan: null, verdict: null, result: null })
    expect(statuses).toEqual([409, 409])
    expect(await labelNow(service)).toBe('theirs')
  })

  it('are made with a token, which reviews nothing', async () => {
    await reset()
    const made = await service.fetch('/api/tokens', {
      method: 'POST',
      body: JSON.stringify({ name: 'robot', scope: 'admin' }),
      as: loginOf('owner'),
    })
    const { token } = JSON.parse(await made.text())
    const send = (path: string, body: object) =>
      service.fetch(`/api/proposals${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        as: null,
        headers: { authorization: `Bearer ${token}` },
      })
    const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled('robot') }]
    const proposed = await send('', { title: 'By a robot', entities })
    const { number } = JSON.parse(await proposed.text())

    const statuses = [proposed.status]
    for (const act of ['approve', 'reject', 'comment']) {
      statuses.push((await send(`/${number}/${act}`, { text: 'x' })).status)
    }
    expect(statuses).toEqual([201, 403, 403, 403])
  })

  it('are closed by their author or an administrator of the server, and nobody else', async () => {
    await reset()
    const numbers = [
      await proposeLabel(service, 'viewer', 'one'),
      await proposeLabel(service, 'viewer', 'two'),
    ]
    const close = async (role: Role, number = 0) =>
      (await ask(service, role, `/${numbers[number]}/close`, {})).status

    const statuses = [
      await close('owner'),
      await close('stranger'),
      await close('root'),
      await close('viewer', 1),
    ]

    expect(statuses).toEqual([403, 404, 200, 200])
  })

  it('are hidden from those who may not view all that a version has touched', async () => {
    await reset()
    const propose = async (document: string) =>
      (await ask(service, 'root', '', { title: 'Change', document })).body.number
    const ofServer = securedDocument().replace('artifactsdir="artifacts"', 'artifactsdir="other"')
    const added = labelled('new').replace('"hello"', '"fresh"')
    const updated = await propose(ofServer)
    const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled('late') }]
    await ask(service, 'root', `/${updated}/update`, { entities })
    const numbers = [
      await propose(ofServer),
      updated,
      await propose(securedDocument().replace('</pipelines>', () => `${added}\n</pipelines>`)),
    ]
    const seenBy = (role: Role) =>
      Promise.all(numbers.map(async (number) => (await ask(service, role, `/${number}`)).status))

    expect(await seenBy('root')).toEqual([200, 200, 200])
    expect(await seenBy('viewer')).toEqual([404, 404, 200])
    expect(await seenBy('stranger')).toEqual([404, 404, 404])
    for (const number of numbers) await ask(service, 'root', `/${number}/close`, {})
  })

  it('keep comments on entities and lines', async () => {
    await reset()
    const number = await proposeLabel(service, 'viewer', 'said')
    await ask(service, 'owner', `/${number}/comment`, { text: 'Why?', entity: 'pipeline/hello' })
    const { body } = await ask(service, 'viewer', `/${number}/comment`, { text: 'So.', line: 4 })
    const noEntity = { text: 'Where?', entity: 'hello' }
    const refused = await ask(service, 'viewer', `/${number}/comment`, noEntity)

    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({ errors: [{ path: 'entity' }] })
    expect(body.comments).toMatchObject([
      { by: 'owner', text: 'Why?', entity: 'pipeline/hello', version: 1 },
      { by: 'viewer', text: 'So.', line: 4 },
    ])
  })

  it('come of a refused save that prefers one, with 202', async () => {
    await reset()
    const headers = { 'if-match': '*', prefer: 'propose', 'x-cairn-message': 'Because' }
    const put = (as: string | null, label: string) =>
      service.fetch('/api/config/entities/pipeline/hello', {
        method: 'PUT',
        body: labelled(label),
        headers,
        as,
      })
    const refused = await put(loginOf('viewer'), 'asked')
    const saved = await put(loginOf('owner'), 'saved')
    const hidden = await put(loginOf('stranger'), 'hidden')

    expect([refused.status, saved.status, hidden.status]).toEqual([202, 200, 403])
    expect(JSON.parse(await refused.text())).toMatchObject({
      title: 'Because',
      author: 'viewer',
      entities: ['pipeline/hello'],
    })
    expect(await labelNow(service)).toBe('saved')
  })

  it(
    'are merged by themselves as soon as they are approved, or say why not',
    { tags: ['long'] },
    async () => {
      await reset()
      const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled('alone') }]
      const wanted = { title: 'Alone', entities, when: 'approved' }
      const { body } = await ask(service, 'viewer', '', wanted)
      const find = async () => (await ask(service, 'owner', `/${body.number}`)).body

      await expect.poll(async () => (await find()).held, WITHIN).toContain('administers')
      await ask(service, 'owner', `/${body.number}/approve`, {})
      await expect.poll(async () => (await find()).state, WITHIN).toBe('merged')
      expect(await labelNow(service)).toBe('alone')
    },
  )

  it.each([
    [{}, 'title'],
    [{ title: 'x' }, 'document'],
    [{ title: 'x', document: '<a/>', entities: [] }, 'entities'],
    [{ title: 'two\nlines', document: '<cruise/>' }, 'title'],
    [{ title: 'x', document: securedDocument() }, 'document'],
    [{ title: 'x', document: securedDocument(), when: 'tomorrow' }, 'when'],
  ])('are refused when they are malformed (%#)', async (body, path) => {
    await reset()
    const { status, body: answer } = await ask(service, 'root', '', body)

    expect(status).toBe(400)
    expect(answer).toMatchObject({ errors: [{ path }] })
  })
})

describe('a list of the proposals that wait for somebody', () => {
  it('merges none of them again when others have saved something else', async () => {
    const first = await openService()
    await secure(first)
    await proposeLabel(first, 'viewer', 'kept')
    await first.close()
    const service = await openService([], first.folder)
    const waiting = async () => (await ask(service, 'root', '?waiting-for=me')).body
    const before = await waiting()
    const blob = git(service.repository, 'rev-parse', 'refs/proposals/1/1:config.xml').trim()
    rmSync(join(service.repository, '.git', 'objects', blob.slice(0, 2), blob.slice(2)))

    await save(service, `${securedDocument()}<!-- later -->\n`, ROOT)

    expect(before).toMatchObject([{ number: 1 }])
    expect(await waiting()).toEqual(before)
  })
})
