import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/security/password.ts'
import { documentWith } from '../support/documents/documents.ts'
import { gitLine } from '../support/git/git.ts'
import { BASIC, rawRequest, statusOf } from '../support/http/raw-http.ts'
import { saved } from '../support/service/saved-digest.ts'
import { save } from '../support/service/saving.ts'
import { QUICK_COST, startService, type TestService } from '../support/service/service.ts'

const PATHS = [
  '/api/admin/config.xml',
  '/api/admin/config/current.xml',
  '/api/config/revisions',
  '/api/config/revisions?limit=1',
  '/api/config/revisions/0',
]

/** A document by which `root` alone is an administrator. */
const ADMINS_ONLY = documentWith('one').replace('  <pipelines', (tag) => {
  const security =
    '<security><passwordFile path="/u"/><admins><user>root</user></admins></security>'
  return `  <server artifactsdir="artifacts">${security}</server>\n${tag}`
})

async function statusesAs(service: TestService, as: string | null): Promise<number[]> {
  return Promise.all(PATHS.map(async (path) => (await service.fetch(path, { as })).status))
}

async function textsOf(service: TestService): Promise<string[]> {
  return Promise.all(PATHS.map(async (path) => (await service.fetch(path)).text()))
}

const CURRENT_ROUTE = 'GET /api/admin/config.xml'
const DIGEST_ROUTE = String.raw`GET /api/admin/config/:file{.+\\.xml}`
const DIFF_ROUTE = 'GET /api/config/diff/:from/:to'

/** How many answers of a route the metrics have counted. */
async function requestsCounted(service: TestService, of = CURRENT_ROUTE): Promise<number[]> {
  const text = await (await service.fetch('/metrics')).text()
  const route = `route="${of}"`
  const counts = text
    .split('\n')
    .filter((line) => line.includes('_count{') && line.includes(route))
    .map((line) => Number(line.split(' ').at(-1)))
  return [counts.reduce((sum, count) => sum + count, 0)]
}

/** The headers of an answer, except those that differ in each answer. */
function lasting({ headers }: Response): (readonly [string, string])[] {
  return [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
}

/** Adds users to the users file and waits until the service knows them. */
async function addUsers(service: TestService, ...names: readonly string[]): Promise<void> {
  const file = join(service.folder, 'state', 'users.htpasswd')
  const hash = await hashPassword('p', QUICK_COST)
  const lines = names.map((name) => `${name}:${hash}\n`)
  writeFileSync(file, readFileSync(file, 'utf8') + lines.join(''))
  const as = `${names[0]}:p`
  await expect.poll(async () => (await service.fetch('/api/agents', { as })).status).toBe(200)
}

describe.each([[[]], [['--base-path', '/go']]])('an answer that is kept (%s)', (flags) => {
  it('is the same as it was when it was made', async () => {
    const service = await startService(flags)

    const first = await textsOf(service)

    expect(await textsOf(service)).toEqual(first)
    expect(new Set(first).size).toBeGreaterThan(1)
  })

  it('is not given to whoever has no credentials or wrong ones', async () => {
    const service = await startService(flags)
    await textsOf(service)

    expect(new Set(await statusesAs(service, null))).toEqual(new Set([401]))
    expect(new Set(await statusesAs(service, 'admin:wrong'))).toEqual(new Set([401]))
  })

  it('is for whom the configuration calls an administrator, and for nobody else', async () => {
    const service = await startService(flags)
    await addUsers(service, 'root', 'other')
    await save(service, ADMINS_ONLY)
    const allowed = [await statusesAs(service, 'root:p'), await statusesAs(service, 'root:p')]

    const refused = [await statusesAs(service, 'other:p'), await statusesAs(service, 'other:p')]

    expect(new Set(allowed.flat())).toEqual(new Set([200]))
    expect(new Set(refused.flat())).toEqual(new Set([403]))
  })

  it('is no longer given once there is a newer revision', async () => {
    const service = await startService(flags)
    const before = await textsOf(service)

    await save(service, documentWith('newer'))

    const after = await textsOf(service)
    expect(after.filter((text, n) => text === before[n])).toEqual([])
  })

  it('is named and counted as any other answer, and none is given over a host that is no name', async () => {
    const service = await startService(flags)
    const [path = ''] = PATHS
    const root = new URL(service.url).pathname.replace(/\/$/, '')
    await service.fetch(path)
    const counted = await requestsCounted(service)

    const named = await service.fetch(path, { headers: { 'x-request-id': 'trace-1/a' } })
    const unnamed = await service.fetch(path)
    const known = { 'if-none-match': unnamed.headers.get('etag') ?? '' }
    await service.fetch(path, { headers: known })
    const strange = await rawRequest(service.url, [
      `GET ${root}${path} HTTP/1.1`,
      'Host: a b',
      `Authorization: ${BASIC}`,
    ])

    expect(named.headers.get('x-request-id')).toBe('trace-1/a')
    expect(unnamed.headers.get('x-request-id')).toMatch(/^[\w-]+$/)
    expect(statusOf(strange)).toBe(400)
    expect(await requestsCounted(service)).toEqual(counted.map((count) => count + 3))
  })

  it.each(['gzip', 'br'])('is packed with %s when that is taken', async (encoding) => {
    const service = await startService(flags)
    await save(service, documentWith(...Array.from({ length: 20 }, (_, n) => `pipeline-${n}`)))
    const plain = await service.fetch(PATHS[0] ?? '', {
      headers: { 'accept-encoding': 'identity' },
    })
    const accepted = { 'accept-encoding': encoding }

    const first = await service.fetch(PATHS[0] ?? '', { headers: accepted })
    const second = await service.fetch(PATHS[0] ?? '', { headers: accepted })

    const encodings = [first, second].map(({ headers }) => headers.get('content-encoding'))
    expect([plain.headers.get('content-encoding'), ...encodings]).toEqual([
      null,
      encoding,
      encoding,
    ])
    const text = await plain.text()
    expect([await first.text(), await second.text()]).toEqual([text, text])
  })

  it('is 304 for who knows it, and nothing else for another method or digest', async () => {
    const service = await startService(flags)
    const [path = ''] = PATHS
    const etag = (await service.fetch(path)).headers.get('etag') ?? ''

    const known = await service.fetch(path, { headers: { 'if-none-match': etag } })
    const head = await service.fetch(path, { method: 'HEAD' })
    const deleted = await service.fetch(path, { method: 'DELETE' })
    const stale = await service.fetch(`${path}?md5=${'0'.repeat(32)}`)

    expect([known.status, head.status, deleted.status, stale.status]).toEqual([304, 200, 405, 409])
    expect(head.headers.get('etag')).toBe(etag)
  })

  it('has the same headers for a digest as when it was made, and is counted each time', async () => {
    const service = await startService(flags)
    const digest = await saved(service, 'older')
    await save(service, documentWith('newer'))
    const path = `/api/admin/config/${digest}.xml`
    const counted = await requestsCounted(service, DIGEST_ROUTE)

    const answers = [
      await service.fetch(path),
      await service.fetch(path),
      await service.fetch(path),
    ]
    const packed = await service.fetch(path, { headers: { 'accept-encoding': 'gzip' } })
    const known = await service.fetch(path, { headers: { 'if-none-match': `"${digest}"` } })

    expect([...answers, packed, known].map(({ status }) => status)).toEqual([
      200, 200, 200, 200, 304,
    ])
    const [made, ...kept] = answers.map(lasting)
    expect(kept).toEqual([made, made])
    const texts = await Promise.all([...answers, packed].map((answer) => answer.text()))
    expect(new Set(texts)).toEqual(new Set([documentWith('older')]))
    expect(await requestsCounted(service, DIGEST_ROUTE)).toEqual(counted.map((count) => count + 5))
  })

  it('has the same headers for a diff as when it was made, and is counted each time', async () => {
    const service = await startService(flags)
    await save(service, documentWith('older'))
    await save(service, documentWith('newer'))
    const [from, to] = ['HEAD~1', 'HEAD'].map((name) =>
      gitLine(service.repository, 'rev-parse', name),
    )
    const path = `/api/config/diff/${from}/${to}`

    const made = await service.fetch(path)
    const kept = await service.fetch(path)
    const unknown = await service.fetch(`/api/config/diff/${from}/${'0'.repeat(40)}`)

    expect([made, kept, unknown].map(({ status }) => status)).toEqual([200, 200, 404])
    expect(lasting(kept)).toEqual(lasting(made))
    const texts = [await made.text(), await kept.text()]
    expect(texts).toEqual([expect.stringContaining('newer'), texts[0]])
    expect(await requestsCounted(service, DIFF_ROUTE)).toEqual([3])
  })

  it('is answered on, and so are changes, when one of its revisions is taken back', async () => {
    const service = await startService([...flags, '--poll-interval', '50ms'])
    await saved(service, 'older')
    await saved(service, 'newer')
    const [from, to] = ['HEAD~1', 'HEAD'].map((name) =>
      gitLine(service.repository, 'rev-parse', name),
    )
    const paths = ['diff', 'changes'].map((kind) => `/api/config/${kind}/${from}/${to}`)
    const statuses = async () =>
      Promise.all(paths.map(async (path) => (await service.fetch(path)).status))
    expect([await statuses(), await statuses()]).toEqual([
      [200, 200],
      [200, 200],
    ])

    gitLine(service.repository, 'reset', '--quiet', '--hard', 'HEAD~1')
    const snapshot = () => service.fetch('/api/admin/config.xml')
    await expect.poll(async () => (await snapshot()).text()).toBe(documentWith('older'))

    expect(await statuses()).toEqual([200, 200])
    paths.push(`/api/config/diff/${to}/${from}`, `/api/config/changes/${to}/${from}`)
    expect(await statuses()).toEqual([200, 200, 200, 200])
  })

  it('is not for whoever may not have it, nor for a digest of no revision', async () => {
    const service = await startService(flags)
    await addUsers(service, 'root', 'other')
    const digest = await saved(service, 'older')
    await save(service, ADMINS_ONLY)
    const path = `/api/admin/config/${digest}.xml`
    const statusAs = async (as: string) => (await service.fetch(path, { as })).status

    expect([await statusAs('root:p'), await statusAs('root:p')]).toEqual([200, 200])
    expect([await statusAs('other:p'), await statusAs('other:p')]).toEqual([403, 403])
    const unknown = await service.fetch(`/api/admin/config/${'0'.repeat(32)}.xml`, { as: 'root:p' })
    expect(unknown.status).toBe(404)
  })

  it('is 503 as long as the repository has lost what is asked for', async () => {
    const writing = await startService(flags)
    const digest = await saved(writing, 'older')
    await save(writing, documentWith('newer'))
    await writing.close()
    // A service writes again what it has itself written a short while ago.
    const service = await startService(flags, writing.folder)
    const path = `/api/admin/config/${digest}.xml`
    const blob = gitLine(service.repository, 'rev-parse', 'HEAD~1:config.xml')
    const objects = join(service.repository, '.git', 'objects')
    rmSync(join(objects, blob.slice(0, 2), blob.slice(2)))

    const answers = [await service.fetch(path), await service.fetch(path)]

    expect(answers.map(({ status }) => status)).toEqual([503, 503])
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(texts).toEqual([expect.stringContaining('cannot be read'), texts[0]])
  })
})
