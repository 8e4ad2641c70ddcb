import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { documentWith } from '../support/documents/documents.ts'
import { shared } from '../support/programs/at-end.ts'
import { save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'

const DIGEST = 'x-service-config-md5'

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

async function listOf(service: TestService, query = ''): Promise<RevisionEntry[]> {
  const response = await service.fetch(`/api/config/revisions${query}`)
  return z.array(RevisionEntry).parse(await response.json())
}

async function commits(service: TestService) {
  return (await listOf(service)).map(({ commitSHA }) => commitSHA)
}

async function serviceWithTwoRevisions(flags: readonly string[] = []) {
  const service = await startService(flags)
  const old = documentWith('old')
  const current = documentWith('old', 'new')
  await save(service, old)
  await save(service, current)
  return { service, old, current }
}

/** For tests that only read. */
const twoRevisions = shared(() => serviceWithTwoRevisions())
const readOnly = shared(() => startService())

describe('the configuration snapshots', () => {
  it.each([
    '/api/admin/config.xml',
    '/api/admin/config/current.xml',
    '/admin/restful/configuration/file/GET/xml',
  ])('serve the current bytes with their digest at %s', async (path) => {
    const { service, current } = twoRevisions()

    const response = await service.fetch(path)

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/xml; charset=utf-8')
    expect(response.headers.get(DIGEST)).toBe(md5(current))
    expect(await response.text()).toBe(current)
  })

  it('serve every earlier document by its digest, byte for byte and for ever', async () => {
    const { service, old } = twoRevisions()

    const response = await service.fetch(`/api/admin/config/${md5(old)}.xml`)

    expect(await response.text()).toBe(old)
    expect(response.headers.get(DIGEST)).toBe(md5(old))
    expect(response.headers.get('cache-control')).toContain('immutable')
  })

  it('answer 304 to a caller that has the bytes', async () => {
    const { service, current } = twoRevisions()
    const etag = (await service.fetch('/api/admin/config.xml')).headers.get('etag') ?? ''

    const response = await service.fetch('/api/admin/config.xml', {
      headers: { 'if-none-match': etag },
    })

    expect(etag).toBe(`"${md5(current)}"`)
    expect(response.status).toBe(304)
    expect(response.headers.get(DIGEST)).toBe(md5(current))
  })

  it('answer HEAD with the headers of GET and no body', async () => {
    const { service, current } = twoRevisions()

    const response = await service.fetch('/api/admin/config.xml', { method: 'HEAD' })

    expect(response.status).toBe(200)
    expect(response.headers.get('content-length')).toBe(String(current.length))
    expect(response.headers.get(DIGEST)).toBe(md5(current))
    expect(await response.text()).toBe('')
  })

  it('are compressed when the caller takes it, with the digest of the plain bytes', async () => {
    const service = await startService()
    const large = documentWith(...Array.from({ length: 30 }, (_, n) => `p${n}`))
    await save(service, large)

    const { headers, body } = await rawGet(service, '/api/admin/config.xml', {
      'accept-encoding': 'gzip',
    })

    expect(headers['content-encoding']).toBe('gzip')
    expect(headers[DIGEST]).toBe(md5(large))
    expect(gunzipSync(body).toString()).toBe(large)
  })

  it('refuse a digest that is not one, and one that nothing has', async () => {
    const { service } = twoRevisions()

    const bad = await service.fetch('/api/admin/config/nonsense.xml')
    const unknown = await service.fetch(`/api/admin/config/${'0'.repeat(32)}.xml`)

    expect([bad.status, unknown.status]).toEqual([400, 404])
    expect(await unknown.json()).toMatchObject({ message: expect.stringContaining('0000') })
  })

  it('say 409 when the caller names a digest that is no longer current', async () => {
    const { service, old, current } = twoRevisions()

    const stale = await service.fetch(`/api/admin/config.xml?md5=${md5(old)}`)
    const fresh = await service.fetch(`/api/admin/config.xml?md5=${md5(current)}`)
    const upper = await service.fetch(`/api/admin/config.xml?md5=${md5(current).toUpperCase()}`)

    expect([stale.status, fresh.status, upper.status]).toEqual([409, 200, 200])
    expect(stale.headers.get(DIGEST)).toBe(md5(current))
  })
})

describe('the revision list', () => {
  it('has every revision, newest first, with the fields of an entry', async () => {
    const { service, old, current } = twoRevisions()

    const revisions = await listOf(service)

    expect(revisions).toHaveLength(3)
    expect(revisions.slice(0, 2).map((revision) => revision.md5)).toEqual([md5(current), md5(old)])
    expect(revisions.map(({ username }) => username)).toEqual(['admin', 'admin', 'Upgrade'])
    expect(revisions[0]).toMatchObject({ serverEdition: 'OpenSource', schemaVersion: 75 })
    expect(Object.keys(revisions[0] ?? {})).not.toContain('goEdition')
  })

  it('can be cut and searched, and is whole without being asked', async () => {
    const { service, old } = twoRevisions()

    const cut = await listOf(service, '?offset=1&limit=1')
    const searched = await listOf(service, `?q=${md5(old)}`)
    const paged = await listOf(service, '/2')

    expect(cut.map((revision) => revision.md5)).toEqual([md5(old)])
    expect(searched.map((revision) => revision.md5)).toEqual([md5(old)])
    expect(paged.map(({ username }) => username)).toEqual(['Upgrade'])
  })

  it.each([`?offset=${'9'.repeat(16)}`, `/${'9'.repeat(16)}`, `/${'9'.repeat(400)}`])(
    'is empty beyond the end: %s',
    async (query) => {
      const service = readOnly()

      expect(await listOf(service, query)).toEqual([])
    },
  )

  it.each(['user=ADMIN', 'user=admin'])('has those of a user in any case: %s', async (query) => {
    const { service } = twoRevisions()

    const found = await listOf(service, `?${query}`)

    expect(found.map(({ username }) => username)).toEqual(['admin', 'admin'])
  })

  it.each(['?offset=x', '?offset=-1', '?limit=-1', '/abc', '/-1'])('refuses %s', async (query) => {
    const service = readOnly()

    expect((await service.fetch(`/api/config/revisions${query}`)).status).toBe(400)
  })

  it('changes its ETag with every revision', async () => {
    const service = await startService()
    const before = (await service.fetch('/api/config/revisions')).headers.get('etag') ?? ''
    await save(service, documentWith('a'))

    const response = await service.fetch('/api/config/revisions', {
      headers: { 'if-none-match': before },
    })

    expect(response.status).toBe(200)
  })

  it('adds the names of the original and its digest header when asked to', async () => {
    const { service, current } = await serviceWithTwoRevisions(['--client-names', 'gocd'])

    const [newest] = await listOf(service)
    const snapshot = await service.fetch('/api/admin/config.xml')

    expect(newest).toMatchObject({ goEdition: 'OpenSource', serverEdition: 'OpenSource' })
    expect(snapshot.headers.get('x-cruise-config-md5')).toBe(md5(current))
    expect(snapshot.headers.get(DIGEST)).toBe(md5(current))
  })
})

describe('the diff of two revisions', () => {
  it('is hunks with removed and added lines in the direction asked for', async () => {
    const { service } = twoRevisions()
    const [current, old] = await commits(service)

    const forth = await (await service.fetch(`/api/config/diff/${old}/${current}`)).text()
    const back = await (await service.fetch(`/api/config/diff/${current}/${old}`)).text()

    expect(forth.split('\n')[0]).toMatch(/^@@ -\d+,\d+ \+\d+,\d+ @@/)
    expect(forth).toContain('\n+    <pipeline name="new">')
    expect(back).toContain('\n-    <pipeline name="new">')
  })

  it('is empty for the same content', async () => {
    const { service } = twoRevisions()
    const [current] = await commits(service)

    const response = await service.fetch(`/api/config/diff/${current}/${current}`)

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toBe('')
  })

  it('refuses what is no commit, and says 404 to one it does not know', async () => {
    const { service } = twoRevisions()
    const [current] = await commits(service)

    const bad = await service.fetch(`/api/config/diff/${current}/HEAD`)
    const unknown = await service.fetch(`/api/config/diff/${current}/${'0'.repeat(40)}`)

    expect([bad.status, unknown.status]).toEqual([400, 404])
  })

  it('is not looked for under what is no commit', async () => {
    const service = readOnly()

    const response = await service.fetch(`/config/diff/${'0'.repeat(40)}/%00`)

    expect(response.status).toBe(400)
  })

  it('is also found without the api segment', async () => {
    const service = await startService(['--base-path', '/go/'])
    const [current] = await commits(service)

    const response = await service.fetch(`/config/diff/${current}/${current}`)

    expect(response.status).toBe(301)
    expect(response.headers.get('location')).toBe(`/go/api/config/diff/${current}/${current}`)
  })

  it('is found there by every name of a revision, and for one entity', async () => {
    const service = await startService()
    await service.fetch('/api/config/revisions/current/tags', {
      method: 'POST',
      body: JSON.stringify({ name: 'weekly/1' }),
    })
    const query = '?entity=group%2Ffirst'

    const response = await service.fetch(`/config/diff/r1/weekly%2F1${query}`)

    expect(response.status).toBe(301)
    expect(response.headers.get('location')).toBe(`/api/config/diff/r1/weekly%2F1${query}`)
  })
})

/** A GET that leaves the body as it came over the line. */
function rawGet(service: TestService, path: string, headers: Record<string, string>) {
  const authorization = `Basic ${Buffer.from('admin:correct horse').toString('base64')}`
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      request(`${service.url}${path}`, { headers: { ...headers, authorization } }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(parts) }))
      })
        .on('error', reject)
        .end()
    },
  )
}
