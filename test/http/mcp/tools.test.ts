import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { aConfiguration } from '../../support/documents/a-configuration.ts'
import { shared } from '../../support/programs/at-end.ts'
import { McpClient } from '../../support/service/mcp-client.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { startService } from '../../support/service/service.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../../support/service/someone-else.ts'
import { makeToken } from '../../support/service/tokens.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

const READERS = [
  'blame',
  'changes',
  'entities',
  'entity',
  'history',
  'pipelines',
  'plan',
  'problems',
  'proposal',
  'proposals',
  'revision',
  'run',
  'runs',
  'search',
  'snapshot',
  'why',
]
const MAX_BYTES = 20_000
const SECRET =
  '<environmentvariables><variable name="KEY" secure="true"><value>hush-hush</value></variable></environmentvariables>'

function withPipelines(count: number): string {
  const pipelines = Array.from({ length: count }, (_, n) => ({ name: `p${n}` }))
  return aConfiguration({ groups: [{ group: 'first', pipelines }] })
    .replace(/<cruise [^>]*>/, (root) => root + ADMIN_ALONE)
    .replace('<pipeline name="p0">', (start) => start + SECRET)
}

const opened = shared(async () => {
  const service = await startService()
  await saveRevisions(service, ...[1, 2, 300].map(withPipelines))
  const { token } = await makeToken(service, 'read')
  const { token: proposing } = await makeToken(service, 'propose')
  return {
    service,
    reader: await McpClient.open(service, token),
    proposer: await McpClient.open(service, proposing),
  }
})

async function audited() {
  const { service } = opened()
  return AuditBody.parse(await (await service.fetch('/api/audit')).json()).entries
}

describe('the tools of /mcp', () => {
  it('read, and propose is the only one that writes', async () => {
    const tools = await opened().reader.tools()

    const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint === true)
    const others = tools.filter((tool) => !reading.includes(tool))
    expect(reading.map(({ name }) => name).toSorted()).toEqual(READERS)
    expect(others.map(({ name }) => name)).toEqual(['propose'])
  })

  it('take what the routes take, with their descriptions', async () => {
    const tools = await opened().reader.tools()

    const search = tools.find(({ name }) => name === 'search')
    expect(search?.inputSchema).toMatchObject({
      properties: { text: { type: 'string' }, limit: { type: 'integer' } },
      required: ['text'],
    })
    const changes = tools.find(({ name }) => name === 'changes')
    expect(changes?.inputSchema.required).toEqual(['from', 'to'])
  })

  it('answer as the calls of the interface do', async () => {
    const { reader } = opened()

    const history = await reader.ask('history', { limit: 2 })
    const changes = await reader.ask('changes', { from: 'r2', to: 'r3' })
    const entity = await reader.ask('entity', { kind: 'pipeline', name: 'p1' })

    expect(history.trimEnd().split('\n')).toHaveLength(2)
    expect(JSON.parse(history.split('\n')[0] ?? '')).toMatchObject({ username: 'admin' })
    expect(changes).toContain('"text":"add pipeline p1')
    expect(entity).toMatch(/^<pipeline name="p1">/)
  })

  it('answer at most 20 kB, and all of it by cursors', async () => {
    const { reader, service } = opened()
    const pages: string[] = []

    let cursor: string | null = null
    do {
      const page = await reader.call('entities', cursor === null ? {} : { cursor })
      expect(page.isError).toBe(false)
      expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(MAX_BYTES)
      pages.push(page.text.replace(/\(more: .*\)\n$/, ''))
      cursor = page.cursor
    } while (cursor !== null)

    const whole = await (await service.fetch('/api/config/entities')).json()
    const lines = pages.join('').trimEnd().split('\n')
    expect(pages.length).toBeGreaterThan(1)
    expect(lines.map((line) => JSON.parse(line))).toEqual(whole)
  })

  it('refuse a cursor of another answer in words', async () => {
    const told = await opened().reader.call('history', { cursor: '00000000-5' })

    expect([told.isError, told.text]).toEqual([
      true,
      'cursor: The cursor is of another answer, or this one has changed: ask again without it',
    ])
  })

  it('say errors in the words of the server, with the place', async () => {
    const { reader } = opened()

    const missing = await reader.call('revision', { revision: 'r99' })
    const unknown = await reader.call('entity', { kind: 'nothing', name: 'x' })
    const strange = await reader.call('history', { nonsense: 1 })
    const absent = await reader.call('nothing')
    const elsewhere = await reader.call('revision', { revision: '../../users' })

    expect(missing).toMatchObject({ isError: true, text: 'There is no revision r99' })
    expect(elsewhere.text).toBe('There is no revision ../../users')
    expect(unknown.text).toMatch(/^kind: "nothing" is not a kind of entity: /)
    expect(strange.text).toContain('has no argument nonsense')
    expect(absent.text).toBe('There is no tool nothing')
  })

  it('hide secrets, sealed ones too', async () => {
    const { reader, service } = opened()
    const sealed = /<encryptedValue>(.+)<\/encryptedValue>/.exec(
      await (await service.fetch('/api/admin/config.xml')).text(),
    )?.[1]
    const { headers } = await service.fetch('/api/admin/config.xml')
    const digest = headers.get('x-service-config-md5')

    const told = await Promise.all([
      reader.ask('entity', { kind: 'pipeline', name: 'p0' }),
      reader.ask('blame', { revision: 'current', entity: 'pipeline/p0' }),
      reader.ask('snapshot', { digest }),
      reader.ask('revision', { revision: 'r2' }),
    ])

    expect(sealed).toMatch(/^\S{10,}$/)
    for (const text of told) {
      expect(text).not.toContain(sealed)
      expect(text).not.toContain('hush-hush')
    }
    expect(told[0]).toContain('<encryptedValue>••••••</encryptedValue>')
  })

  it('give a caller what the caller may see, and no more', async () => {
    const { service } = opened()
    await addSomeone(service)
    const { token } = await makeToken(service, 'admin', { as: SOMEONE })
    const stranger = await McpClient.open(service, token)

    const ambition = withPipelines(300).replace('<user>admin</user>', '$&<user>someone</user>')
    const told = [
      await stranger.call('history'),
      await stranger.call('entity', { kind: 'pipeline', name: 'p0' }),
      await stranger.call('blame', { revision: 'current' }),
      await stranger.call('plan', { xml: ambition }),
    ]

    expect(told.map(({ isError }) => isError)).toEqual([true, true, true, true])
  })
})

describe('a proposal by /mcp', () => {
  const change = {
    title: 'Drop one',
    entities: [{ kind: 'pipeline', name: 'p2', xml: null }],
  }

  it('needs the scope `propose`, which saves nothing else', async () => {
    const { reader, proposer, service } = opened()

    const refused = await reader.call('propose', change)
    const proposed = await proposer.call('propose', change)
    const { token } = await makeToken(service, 'propose')
    const headers = { authorization: `Bearer ${token}`, 'if-match': '*' }
    const saved = await service.fetch('/api/admin/config.xml', {
      method: 'PUT',
      as: null,
      headers,
      body: withPipelines(1),
    })

    expect(refused).toMatchObject({
      isError: true,
      text: 'This token is for "read" only, and this needs "propose"',
    })
    expect([proposed.isError, proposed.text]).toEqual([
      false,
      expect.stringContaining('title: "Drop one"'),
    ])
    expect(saved.status).toBe(403)
  })

  it('is in the audit log with the way it came, as every call is', async () => {
    const { reader } = opened()
    await reader.call('problems')
    await reader.call('revision', { revision: 'r99' })

    const [refused, read] = await audited()

    expect(refused).toMatchObject({
      via: 'mcp',
      action: 'GET /api/config/changes/:revision',
      target: '/api/config/changes/r99',
      outcome: 'refused',
      reason: 'revision-not-found',
    })
    expect(read).toMatchObject({ via: 'mcp', target: '/health', outcome: 'done', user: 'admin' })
    const page = await opened().service.fetch('/audit')
    expect(await page.text()).toContain(' through an assistant (MCP)')
    const proposals = (await audited()).filter(({ action }) => action === 'propose')
    expect(proposals.map(({ via, outcome }) => `${via} ${outcome}`)).toEqual([
      'mcp done',
      'mcp refused',
    ])
  })
})

it('/mcp knows nobody without credentials', async () => {
  const { service } = opened()
  const answer = await service.fetch('/mcp', { method: 'POST', as: null, body: '{}' })

  expect(answer.status).toBe(401)
  expect(z.object({ message: z.string() }).parse(await answer.json()).message).not.toBe('')
})
