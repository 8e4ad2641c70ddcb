import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aConfiguration, element } from '../support/documents/a-configuration.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const BASE = aConfiguration({
  server: element('server', { serverId: 'one' }, [
    element('security', {}, [
      element('roles', {}, [
        element('role', { name: 'ops' }, [element('users', {}, [element('user', {}, ['ana'])])]),
      ]),
      element('admins', {}, [element('user', {}, ['admin']), element('user', {}, ['ana'])]),
    ]),
  ]),
  repositories: [],
  groups: [
    { group: 'first', pipelines: [{ name: 'alpha' }, { name: 'beta' }] },
    { group: 'second', pipelines: [{ name: 'gamma' }] },
  ],
  templates: [{ name: 'common' }],
  environments: [{ name: 'live', pipelines: ['gamma'] }],
  agents: [{ uuid: 'u1' }, { uuid: 'u2' }],
}).replace('  <repositories>\n\n  </repositories>\n', '')

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

async function serviceAt(document: string): Promise<CalledService> {
  const service = await openService()
  expect((await save(service, document)).status).toBe(200)
  return service
}

async function currentOf(service: CalledService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

function entityAt(service: CalledService, place: string, query = ''): Promise<Response> {
  return service.fetch(`/api/config/entities/${place}${query}`)
}

interface Put {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: string
}

function put(service: CalledService, place: string, { body, headers = {}, query = '' }: Put) {
  return service.fetch(`/api/config/entities/${place}${query}`, { method: 'PUT', body, headers })
}

/** A part of a document from the one text up to and with the other. */
function cut(document: string, from: string, to: string): string {
  const start = document.indexOf(from)
  return document.slice(start, document.indexOf(to, start) + to.length)
}

const ALPHA = cut(BASE, '<pipeline name="alpha"', '</pipeline>')
const ANY = { 'if-match': '*' }
const NEW = { 'if-none-match': '*' }

describe('GET /api/config/entities/[kind]/[name]', () => {
  it('answers the bytes of the element, their digest as ETag, and the digest of the document', async () => {
    const service = await serviceAt(BASE)

    const answer = await entityAt(service, 'pipeline/ALPHA')

    expect(await answer.text()).toBe(ALPHA)
    expect(answer.headers.get('etag')).toBe(`"${md5(ALPHA)}"`)
    expect(answer.headers.get('x-service-config-md5')).toBe(md5(BASE))
    expect(answer.headers.get('content-type')).toContain('application/xml')
  })

  it.each([
    ['group/second', '<pipelines group="second">'],
    ['template/common', '<pipeline name="common">'],
    ['environment/live', '<environment name="live">'],
    ['role/ops', '<role name="ops">'],
    ['user/ana', '<user>ana</user>'],
    ['agent/u2', '<agent hostname="box" ipaddress="127.0.0.1" uuid="u2" />'],
    ['server', '<server serverId="one">'],
  ])('knows %s', async (place, start) => {
    const answer = await entityAt(await serviceAt(BASE), place)

    expect(await answer.text()).toMatch(new RegExp(`^${start}`))
  })

  it('answers what it was in another revision, by number, commit, digest and time', async () => {
    const service = await serviceAt(BASE)
    const changed = BASE.replace('https://example.com/a', 'https://example.com/b')
    await save(service, changed)
    const [newest, older] = JSON.parse(await (await service.fetch('/api/config/revisions')).text())

    const texts = await Promise.all(
      ['r2', older.commitSHA, older.md5].map(async (at: string) =>
        (await entityAt(service, 'pipeline/alpha', `?at=${at}`)).text(),
      ),
    )
    const now = await entityAt(
      service,
      'pipeline/alpha',
      `?at=${new Date(newest.time).toISOString()}`,
    )

    expect(texts).toEqual([ALPHA, ALPHA, ALPHA])
    expect(await now.text()).toContain('https://example.com/b')
  })

  it.each([
    ['pipeline/none', 404],
    ['pipeline/alpha?at=r99', 404],
    ['pipeline/alpha?at=nothing', 404],
    ['pipelines/alpha', 400],
    ['document/x', 400],
  ])('refuses %s with %i', async (place, status) => {
    expect((await entityAt(await serviceAt(BASE), place)).status).toBe(status)
  })
})

describe('PUT /api/config/entities/[kind]/[name]', () => {
  it('replaces the element byte for byte and nothing else, as one commit by the caller', async () => {
    const crlf = BASE.replaceAll('\n', '\r\n')
    const service = await serviceAt(crlf)
    const body =
      "<pipeline   name='alpha'>\n<materials><git url='x'/></materials>\n<stage name='s'><jobs><job name='j'/></jobs></stage></pipeline>"
    const own = cut(crlf, '<pipeline name="alpha"', '</pipeline>')

    const answer = await put(service, 'pipeline/alpha', {
      body: `\n${body}\n`,
      headers: { 'if-match': `"${md5(own)}"`, 'x-cairn-message': 'because' },
    })

    expect(answer.status).toBe(200)
    expect(answer.headers.get('etag')).toBe(`"${md5(body)}"`)
    expect(await currentOf(service)).toBe(crlf.replace(own, body))
    expect(git(service.repository, 'log', '-1', '--format=%an %b')).toMatch(/^admin because/)
  })

  it('of the text that is there makes no commit', async () => {
    const service = await serviceAt(BASE)
    const before = git(service.repository, 'rev-parse', 'HEAD')

    const answer = await put(service, 'pipeline/alpha', { body: ALPHA, headers: ANY })

    expect(answer.status).toBe(200)
    expect(git(service.repository, 'rev-parse', 'HEAD')).toBe(before)
  })

  it('meets no change of another entity', async () => {
    const service = await serviceAt(BASE)
    const match = { 'if-match': `"${md5(ALPHA)}"` }
    await save(service, BASE.replace('name="beta"', 'name="delta"'))

    const body = ALPHA.replace('example.com/a', 'example.com/mine')
    const answer = await put(service, 'pipeline/alpha', { body, headers: match })

    expect(answer.status).toBe(200)
    expect(await currentOf(service)).toMatch(/mine[^]*"delta"/)
  })

  it('of an entity that has changed since is 412, with its text', async () => {
    const service = await serviceAt(BASE)
    await put(service, 'pipeline/alpha', { body: ALPHA.replace('/a', '/theirs'), headers: ANY })

    const headers = { 'if-match': `"${md5(ALPHA)}"` }
    const answer = await put(service, 'pipeline/alpha', { body: ALPHA, headers })

    expect(answer.status).toBe(412)
    expect(await answer.text()).toContain('/theirs')
  })

  it.each([
    ['pipeline/alpha', {}, 428],
    ['pipeline/alpha', NEW, 412],
    ['pipeline/none', ANY, 412],
    ['pipeline/alpha', { ...NEW, ...ANY }, 400],
    ['pipeline/alpha', { 'if-match': 'x' }, 400],
  ])('of %s with %o is %i', async (place, headers, status) => {
    const body = ALPHA.replace('alpha', place.slice('pipeline/'.length))

    expect(
      (await put(await serviceAt(BASE), place, { body, headers, query: '?group=first' })).status,
    ).toBe(status)
  })

  it('adds a pipeline to its group, and to nothing else', async () => {
    const service = await serviceAt(BASE)
    const body = ALPHA.replace('alpha', 'delta')

    const answer = await put(service, 'pipeline/delta', {
      body,
      headers: NEW,
      query: '?group=second',
    })

    expect(answer.status).toBe(200)
    const gamma = cut(BASE, '<pipeline name="gamma"', '</pipeline>')
    expect(await currentOf(service)).toBe(BASE.replace(gamma, `${gamma}\n    ${body}`))
  })

  it.each([
    ['pipeline/delta', '', 400],
    ['pipeline/delta', '?group=none', 404],
    ['pipeline/alpha', '?group=second', 400],
  ])('of %s with the group %s is %i', async (place, query, status) => {
    const body = ALPHA.replace('alpha', place.slice('pipeline/'.length))
    const headers = place.endsWith('alpha') ? ANY : NEW

    expect((await put(await serviceAt(BASE), place, { body, headers, query })).status).toBe(status)
  })

  it.each([
    [
      'template/other',
      '<pipeline name="other"><stage name="s"><jobs><job name="j"/></jobs></stage></pipeline>',
    ],
    ['environment/test', '<environment name="test" />'],
    ['group/third', '<pipelines group="third" />'],
    ['role/dev', '<role name="dev" />'],
    ['user/ben', '<user>ben</user>'],
    ['agent/u3', '<agent hostname="box" ipaddress="127.0.0.1" uuid="u3" />'],
    [
      'scm/s1',
      '<scm id="s1" name="s1"><pluginConfiguration id="x" version="1" /><configuration><property><key>k</key><value>v</value></property></configuration></scm>',
    ],
  ])('adds %s', async (place, body) => {
    const service = await serviceAt(BASE)

    const answer = await put(service, place, { body, headers: NEW })

    expect(await answer.text()).toContain('is saved')
    const lines = (await currentOf(service)).split('\n')
    expect(BASE.split('\n').filter((line) => !lines.includes(line))).toEqual([])
    expect(lines.join('\n')).toContain(body)
  })

  it('names lines and columns of the text that was sent', async () => {
    const service = await serviceAt(BASE)
    const body = `\n\n${ALPHA.replace('<git url', '<git nonsense="1" url')}`

    const answer = await put(service, 'pipeline/alpha', { body, headers: ANY })

    expect(answer.status).toBe(422)
    const { errors } = JSON.parse(await answer.text())
    const line = body.split('\n').findIndex((each) => each.includes('nonsense')) + 1
    expect(errors).toEqual([
      expect.objectContaining({ line, message: expect.stringContaining('nonsense') }),
    ])
    expect(errors[0].column).toBe((body.split('\n')[line - 1] ?? '').indexOf('nonsense') + 1)
  })

  it('that would break another entity is refused, without a place in the text', async () => {
    const service = await serviceAt(BASE)

    const answer = await service.fetch('/api/config/entities/pipeline/gamma', {
      method: 'DELETE',
      headers: ANY,
    })

    expect(answer.status).toBe(422)
    expect(await answer.text()).toContain('gamma')
    expect(await currentOf(service)).toBe(BASE)
  })

  it('says of what it would break elsewhere what it is, and no place in the text', async () => {
    const material = '<pipeline pipelineName="gamma" stageName="build" />'
    const document = BASE.replace(
      /<pipeline name="beta">\s*<materials>/,
      (start) => start + material,
    )
    const service = await serviceAt(document)
    const body = cut(document, '<pipeline name="gamma"', '</pipeline>').replace('build', 'other')

    const answer = await put(service, 'pipeline/gamma', { body, headers: ANY })

    expect(answer.status).toBe(422)
    const { errors } = JSON.parse(await answer.text())
    expect(errors).toEqual([
      {
        path: 'pipeline "beta" › upstream pipeline "gamma"',
        message: 'the pipeline "gamma" that "beta" depends on has no stage "build"',
      },
    ])
  })

  it.each([
    ['<pipeline', 422],
    ['<pipelines group="alpha" />', 400],
    [ALPHA.replace('alpha', 'omega'), 400],
    [`<!-- a -->${ALPHA}`, 400],
    ['<user>alpha</user>', 400],
  ])('refuses the body %s with %i', async (body, status) => {
    expect(
      (await put(await serviceAt(BASE), 'pipeline/alpha', { body, headers: ANY })).status,
    ).toBe(status)
  })

  it('seals a plain secret, and answers with the ETag of what is stored', async () => {
    const service = await serviceAt(BASE)
    const body = ALPHA.replace(
      '<git url="https://example.com/a" />',
      '<svn url="x" username="u" password="secret" />',
    )

    const answer = await put(service, 'pipeline/alpha', { body, headers: ANY })

    const stored = await entityAt(service, 'pipeline/alpha')
    expect(answer.headers.get('etag')).toBe(stored.headers.get('etag'))
    expect(await stored.text()).not.toContain('"secret"')
  })
})

describe('DELETE /api/config/entities/[kind]/[name]', () => {
  it('removes the lines of the element and nothing else', async () => {
    const service = await serviceAt(BASE)

    const answer = await service.fetch('/api/config/entities/pipeline/beta', {
      method: 'DELETE',
      headers: ANY,
    })

    expect(answer.status).toBe(200)
    const beta = cut(BASE, '<pipeline name="beta"', '</pipeline>')
    expect(await currentOf(service)).toBe(BASE.replace(`    ${beta}\n`, ''))
  })

  it('takes a list along that may not be empty', async () => {
    const service = await serviceAt(BASE)

    await service.fetch('/api/config/entities/template/common', { method: 'DELETE', headers: ANY })

    expect(await currentOf(service)).toBe(
      BASE.replace(`  ${cut(BASE, '<templates>', '</templates>')}\n`, ''),
    )
  })

  it.each([
    ['pipeline/none', ANY, 404],
    ['pipeline/alpha', {}, 428],
    ['pipeline/alpha', { 'if-match': `"${'0'.repeat(32)}"` }, 412],
  ])('of %s with %o is %i', async (place, headers, status) => {
    const answer = await (
      await serviceAt(BASE)
    ).fetch(`/api/config/entities/${place}`, { method: 'DELETE', headers })

    expect(answer.status).toBe(status)
  })
})

async function namesIn(service: CalledService, query: string): Promise<unknown> {
  const list = JSON.parse(await (await service.fetch(`/api/config/entities${query}`)).text())
  return list.map(({ kind, name }: Record<string, string>) => `${kind}/${name}`)
}

describe('GET /api/config/entities', () => {
  it('lists the entities of a kind with their digests', async () => {
    const service = await serviceAt(BASE)

    const answer = await service.fetch('/api/config/entities?kind=pipeline')

    const list = JSON.parse(await answer.text())
    expect(list).toHaveLength(3)
    expect(list[0]).toEqual({
      kind: 'pipeline',
      name: 'alpha',
      label: 'alpha',
      group: 'first',
      digest: md5(ALPHA),
    })
  })

  it('lists what revisions created, changed and removed, in a time', async () => {
    const service = await serviceAt(BASE)
    await save(
      service,
      BASE.replace(/<environments>[^]*<\/environments>\n/, '').replace('/a"', '/b"'),
    )

    expect(await namesIn(service, '?changed=removed')).toEqual(['environment/live'])
    expect(await namesIn(service, '?changed=changed&kind=pipeline')).toEqual(['pipeline/alpha'])
    expect(await namesIn(service, '?changed=created&kind=agent')).toEqual(['agent/u1', 'agent/u2'])
    expect(await namesIn(service, '?changed=removed&until=2001-01-01')).toEqual([])
    expect((await service.fetch('/api/config/entities?since=2001')).status).toBe(400)
    expect((await service.fetch('/api/config/entities?changed=moved')).status).toBe(400)
  })
})

describe('a comparison that is narrowed to an entity', () => {
  it('answers what lies in it, in words and as a diff; of a group with its pipelines', async () => {
    const service = await serviceAt(BASE)
    const changed = ['beta', 'gamma'].reduce(
      (text, name) => text.replace(`name="${name}"`, `name="${name}" labeltemplate="x-\${COUNT}"`),
      BASE,
    )
    await save(service, changed)
    const [newest, older] = JSON.parse(await (await service.fetch('/api/config/revisions')).text())
    const range = `${older.commitSHA}/${newest.commitSHA}`
    const changesOf = async (entity: string) => {
      const answer = await service.fetch(`/api/config/changes/${range}?entity=${entity}`)
      const { changes } = JSON.parse(await answer.text())
      return changes.map((change: Record<string, string>) => change['entity'])
    }
    const diff = await service.fetch(`/api/config/diff/${range}?entity=pipeline/gamma`)

    expect(await changesOf('pipeline/beta')).toEqual(['pipeline/beta'])
    expect(await changesOf('group/second')).toEqual(['pipeline/gamma'])
    expect(await changesOf('pipeline/alpha')).toEqual([])
    expect(await diff.text()).toMatch(
      /^@@ -1[^]*\n-<pipeline name="gamma">\n\+<pipeline name="gamma" label/,
    )
  })
})
