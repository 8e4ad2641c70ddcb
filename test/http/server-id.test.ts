import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { documentWith } from '../support/documents/documents.ts'
import { Clone } from '../support/git/git-client.ts'
import { git } from '../support/git/git.ts'
import { startService, type TestService } from '../support/service/service.ts'

const [OURS, OTHER] = [
  'b5bd0c5e-8c4c-4a4b-9a3d-5d1b1f0c0001',
  'b5bd0c5e-8c4c-4a4b-9a3d-5d1b1f0c0002',
]
const Failure = z.object({ message: z.string(), errors: z.array(z.object({ line: z.int() })) })
const Health = z.object({ problems: z.array(z.object({ subject: z.string() })) })

const TOLD = `A commit has made the serverId ${OTHER}, which was ${OURS} when the server started`

function documentOf(serverId: string | null, pipeline: string): string {
  const id = serverId === null ? '' : ` serverId="${serverId}"`
  const server = `  <server artifactsdir="artifacts"${id} />\n`
  return documentWith(pipeline).replace('  <pipelines', `${server}  <pipelines`)
}

function put(service: TestService, document: string): Promise<Response> {
  const headers = { 'if-match': '*' }
  return service.fetch('/api/admin/config.xml', { method: 'PUT', headers, body: document })
}

async function problemsOf(service: TestService) {
  return Health.parse(await (await service.fetch('/health')).json()).problems
}

it('takes the server id of the first document that somebody brings', async () => {
  const service = await startService()

  expect((await put(service, documentOf(OURS, 'one'))).status).toBe(200)
})

it('refuses another server id while the server runs, and says where it stands', async () => {
  const service = await startService()
  await put(service, documentOf(OURS, 'one'))

  const refused = await put(service, documentOf(OTHER, 'two'))
  const same = await put(service, documentOf(OURS, 'three'))
  const none = await put(service, documentOf(null, 'four'))
  const again = await put(service, documentOf(OTHER, 'five'))

  const { message, errors } = Failure.parse(await refused.json())
  expect([refused, same, none, again].map(({ status }) => status)).toEqual([422, 200, 200, 422])
  expect(message).toContain(`serverId is ${OURS} and may not change while the server runs`)
  expect(errors).toMatchObject([{ line: 3 }])
})

it('refuses it on disk too, and takes it at the next start', async () => {
  const service = await startService(['--poll-interval', '100ms'])
  await put(service, documentOf(OURS, 'one'))
  const live = join(service.repository, 'config.xml')
  writeFileSync(live, documentOf(OTHER, 'two'))

  await expect
    .poll(() => problemsOf(service))
    .toMatchObject([{ subject: expect.stringContaining('may not change') }])
  await service.close()
  const next = await startService([], service.folder)

  expect(await (await next.fetch('/api/admin/config.xml')).text()).toBe(readFileSync(live, 'utf8'))
})

it(
  'refuses a push that would change it, and takes one that does not',
  { tags: ['long'] },
  async () => {
    const service = await startService()
    await put(service, documentOf(OURS, 'one'))
    const clone = await Clone.of(service.url)
    const other = await clone.commit(documentOf(OTHER, 'two'))

    const refused = await clone.push()
    const head = git(service.repository, 'rev-parse', 'HEAD').trim()
    await clone.commit(documentOf(OURS, 'three'))
    const taken = await clone.push()

    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      new RegExp(`line 3, column 3: serverId is ${OURS} and may not change while the server runs`),
    )
    expect(head).not.toBe(other)
    expect(taken.code).toBe(0)
  },
)

it('follows a commit with git that changes it, reports it, and goes on taking changes', async () => {
  const service = await startService(['--poll-interval', '100ms'])
  await put(service, documentOf(OURS, 'one'))
  writeFileSync(join(service.repository, 'config.xml'), documentOf(OTHER, 'two'))
  git(service.repository, 'commit', '--quiet', '--all', '-m', 'By hand')

  await expect.poll(() => problemsOf(service)).toMatchObject([{ subject: TOLD }])
  const kept = await put(service, documentOf(OTHER, 'three'))
  const third = await put(service, documentOf(OTHER.replace('2', '3'), 'four'))
  const back = await put(service, documentOf(OURS, 'five'))

  expect([kept, third, back].map(({ status }) => status)).toEqual([200, 422, 200])
  expect(await problemsOf(service)).toEqual([])
})

it('takes an empty server id for none', async () => {
  const service = await startService()

  const empty = await put(service, documentOf('', 'one'))
  const ours = await put(service, documentOf(OURS, 'two'))
  const emptied = await put(service, documentOf('', 'three'))
  const other = await put(service, documentOf(OTHER, 'four'))

  expect([empty, ours, emptied, other].map(({ status }) => status)).toEqual([200, 200, 200, 422])
})
