import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { loginOf, secure } from '../support/service/secured-service.ts'
import { type CalledService, openService } from '../support/service/service.ts'

/** A service with three revisions after the first one. */
async function scene(flags: readonly string[] = []): Promise<CalledService> {
  const service = await openService(flags)
  for (const name of ['one', 'two', 'three']) await save(service, documentWith(name))
  return service
}

interface Listed {
  readonly commitSHA: string
  readonly md5: string
  readonly tags: readonly string[]
}

async function list(service: CalledService): Promise<readonly Listed[]> {
  return JSON.parse(await (await service.fetch('/api/config/revisions')).text())
}

function tag(service: CalledService, revision: string, name: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify({ name }) }
  return service.fetch(`/api/config/revisions/${revision}/tags`, init)
}

function untag(service: CalledService, revision: string, name: string): Promise<Response> {
  const path = `/api/config/revisions/${encodeURIComponent(revision)}/tags/${encodeURIComponent(name)}`
  return service.fetch(path, { method: 'DELETE' })
}

describe('tags', () => {
  it.each([{ flags: [] }, { flags: ['--object-format', 'sha256'] }])(
    'are made and removed, shown in the list, and are tags of git ($flags)',
    async ({ flags }) => {
      const service = await scene(flags)
      const [, two] = await list(service)

      const made = [
        await tag(service, two?.commitSHA ?? '', 'v1.0'),
        await tag(service, 'r3', 'releases/spring'),
      ]
      const listed = await list(service)
      const shown = git(service.repository, 'tag', '--points-at', two?.commitSHA ?? '')
      const removed = await untag(service, 'releases/spring', 'releases/spring')

      expect(made.map(({ status }) => status)).toEqual([201, 201])
      expect(listed.map(({ tags }) => tags)).toEqual([[], ['releases/spring', 'v1.0'], [], []])
      expect(shown.trim().split('\n')).toEqual(['releases/spring', 'v1.0'])
      expect(removed.status).toBe(200)
      expect((await list(service)).map(({ tags }) => tags)).toEqual([[], ['v1.0'], [], []])
      expect(git(service.repository, 'fsck', '--strict', '--no-dangling')).toBe('')
    },
  )

  it('that git makes, moves, packs and removes are seen at once', async () => {
    const service = await scene()
    const tagsOfList = async () => (await list(service)).map(({ tags }) => tags)
    const as = ['-c', 'user.name=Gil', '-c', 'user.email=gil@example.org']
    git(service.repository, 'tag', 'light', 'HEAD~1')
    git(service.repository, ...as, 'tag', '-a', '-m', 'A release', 'full', 'HEAD~1')
    git(service.repository, ...as, 'tag', '-a', '-m', 'A tag of a tag', 'deep', 'full')
    git(service.repository, 'tag', 'blob', 'HEAD:config.xml')
    const made = await tagsOfList()
    git(service.repository, 'pack-refs', '--all')
    const packed = await tagsOfList()
    git(service.repository, 'tag', '-f', 'light', 'HEAD')
    const moved = await tagsOfList()
    git(service.repository, 'tag', '-d', 'deep')
    const removed = await tagsOfList()
    const byUs = [await untag(service, 'full', 'full'), await untag(service, 'light', 'light')]

    expect(made).toEqual([[], ['deep', 'full', 'light'], [], []])
    expect(packed).toEqual(made)
    expect(moved).toEqual([['light'], ['deep', 'full'], [], []])
    expect(removed).toEqual([['light'], ['full'], [], []])
    expect(byUs.map(({ status }) => status)).toEqual([200, 200])
    expect(await tagsOfList()).toEqual([[], [], [], []])
    expect(git(service.repository, 'tag').trim()).toBe('blob')
  })

  it('take the place of a revision wherever one is named', async () => {
    const service = await scene()
    await tag(service, 'r3', 'v2')
    const [, two, one] = await list(service)
    const read = async (path: string, method = 'GET') => {
      const answer = await service.fetch(path, { method })
      return { status: answer.status, text: await answer.text(), headers: answer.headers }
    }
    const wanted = await read(`/api/config/diff/${one?.commitSHA}/${two?.commitSHA}`)

    for (const name of ['v2', 'r3', two?.md5, two?.commitSHA]) {
      const diff = await read(`/api/config/diff/r2/${name}`)
      expect([name, diff.status, diff.text]).toEqual([name, 200, wanted.text])
      const changes = await read(`/api/config/changes/r2/${name}`)
      expect(JSON.parse(changes.text)).toMatchObject({ from: one?.commitSHA, to: two?.commitSHA })
      const narrowed = await read(`/api/config/diff/r2/${name}?entity=group/g`)
      expect([name, [200, 404].includes(narrowed.status)]).toEqual([name, true])
      const then = await read(`/api/config/entities/pipeline/two?at=${name}`)
      expect([name, then.status]).toEqual([name, 200])
      const page = await read(`/config/${name}`)
      expect([name, page.status]).toEqual([name, 200])
    }
    const mutable = await read('/api/config/diff/r2/v2')
    expect(mutable.headers.get('cache-control')).toBe('private, no-cache')
    expect((await read('/api/config/revisions/v2/restore', 'POST')).status).toBe(200)
    expect(await (await service.fetch('/api/admin/config.xml')).text()).toBe(documentWith('two'))
    expect((await read('/api/config/diff/r2/never')).status).toBe(400)
    expect((await read('/api/config/diff/r2/r99')).status).toBe(404)
  })

  it.each([
    '',
    'a b',
    'a..b',
    '-x',
    'x.lock',
    '/x',
    'x/',
    'x~1',
    'HEAD',
    'main',
    'refs/heads/main',
    'a@{b',
    'r12',
    'current',
    'a'.repeat(40),
    '2015-06-05',
  ])('are refused by the name "%s"', async (name) => {
    const service = await openService()

    const answer = await tag(service, 'r1', name)

    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('name')
    expect(git(service.repository, 'tag')).toBe('')
  })

  it('are refused by a name that begins a commit, which git would take for that', async () => {
    const service = await scene()
    const [, two] = await list(service)
    const start = two?.commitSHA.slice(0, 7) ?? ''

    const answers = [
      await tag(service, 'r2', start),
      await tag(service, 'r2', start.toUpperCase()),
      await tag(service, 'r2', `${start}-rc`),
    ]

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 201])
    expect(await answers[0]?.text()).toContain('is the beginning of a commit')
  })

  it('are refused where the name is taken or in the way, and where there is nothing', async () => {
    const service = await scene()
    await tag(service, 'r2', 'a/b')

    const statuses = [
      await tag(service, 'r3', 'a/b'),
      await tag(service, 'r3', 'a'),
      await tag(service, 'r3', 'a/b/c'),
      await tag(service, 'r99', 'c'),
      await untag(service, 'r3', 'a/b'),
      await untag(service, 'r2', 'c'),
    ].map(({ status }) => status)

    expect(statuses).toEqual([409, 409, 409, 404, 404, 404])
    expect(git(service.repository, 'tag').trim()).toBe('a/b')
  })

  it('are not told to those who may not see them, neither by a refusal', async () => {
    const service = await openService()
    await secure(service)
    await service.fetch('/api/config/revisions/r2/tags', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"spring"}',
      as: loginOf('root'),
    })
    const entity = 'entity=pipeline/hello'
    const calls = (name: string): readonly (readonly [string, string])[] => [
      ['GET', `/api/config/changes/${name}?${entity}`],
      ['GET', `/api/config/changes/${name}/r1?${entity}`],
      ['GET', `/api/config/changes/r1/${name}?${entity}`],
      ['GET', `/api/config/diff/${name}/r1?${entity}`],
      ['GET', `/api/config/blame/${name}?${entity}`],
      ['GET', `/api/config/entities/pipeline/hello?at=${name}`],
      ['GET', `/config/diff/${name}/r1`],
      ['GET', `/api/config/watch?since=${name}&${entity}`],
      ['POST', `/api/config/revisions/${name}/restore`],
      ['POST', `/api/config/revisions/${name}/undo`],
      ['POST', `/api/config/entities/pipeline/hello/restore?to=${name}`],
      ['DELETE', `/api/config/revisions/r2/tags/${name}`],
    ]
    const answersTo = (as: string | null, name: string) =>
      Promise.all(
        calls(name).map(async ([method, path]) => {
          const answer = await service.fetch(path, { method, as, redirect: 'manual' })
          return [method, path.replace(name, 'NAME'), answer.status]
        }),
      )

    const there = await answersTo(loginOf('viewer'), 'spring')
    const elsewhere = await answersTo(loginOf('viewer'), 'autumn')

    expect(there).toEqual(elsewhere)
    expect(there.filter(([, , status]) => status !== 403)).toEqual([
      ['GET', '/config/diff/NAME/r1', 301],
    ])
  })
})
