import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ChangesAnswer } from '../../src/wire/changes.ts'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { openService, type CalledService } from '../support/service/service.ts'

function subjects({ repository }: CalledService): string[] {
  return git(repository, 'log', '--format=%s').trim().split('\n')
}

const SHOP = documentWith('shop')
const SLOW = SHOP.replace('name="unit"', 'name="unit" timeout="60"')

function withPassword(password: string): string {
  return SHOP.replace('<git url=', `<svn username="u" password="${password}" url=`)
}

describe('the subject of a commit', () => {
  it('says what the save has changed', async () => {
    const service = await openService()

    await save(service, SHOP)
    await save(service, SLOW)
    await save(service, SLOW.replaceAll('shop', 'store'))

    expect(subjects(service)).toEqual([
      'Rename pipeline shop -> store (and 1 more)',
      'shop: stage test, job unit: timeout unset -> 60',
      expect.stringMatching(/^Add pipeline shop; add group first; /),
      'First configuration',
    ])
  })

  it('names a password that was sealed and does not show it', async () => {
    const service = await openService()
    await save(service, withPassword('xyzzy'))
    await save(service, withPassword('plugh'))

    expect(subjects(service)[0]).toBe(
      'shop: material svn https://example.org/shop.git: encryptedPassword changed',
    )
  })
})

async function commitsOf(service: CalledService, query = ''): Promise<readonly string[]> {
  const response = await service.fetch(`/api/config/revisions${query}`)
  const revisions = z.array(RevisionEntry).parse(await response.json())
  return revisions.map(({ commitSHA }) => commitSHA)
}

async function serviceWithChanges(): Promise<{
  service: CalledService
  commits: readonly string[]
}> {
  const service = await openService()
  await save(service, documentWith('shop', 'other'))
  await save(service, documentWith('shop', 'other', 'third'))
  await save(service, documentWith('shop', 'other', 'third').replace('unit', 'fast'))
  return { service, commits: await commitsOf(service) }
}

describe('the changes between two revisions', () => {
  it('are reported in words and in parts, in the direction that is asked for', async () => {
    const { service, commits } = await serviceWithChanges()
    const [newest = '', middle = ''] = commits

    const response = await service.fetch(`/api/config/changes/${middle}/${newest}`)
    const forth = ChangesAnswer.parse(await response.json())
    const back = ChangesAnswer.parse(
      await (await service.fetch(`/api/config/changes/${newest}/${middle}`)).json(),
    )

    expect(response.headers.get('cache-control')).toContain('immutable')
    expect(forth).toEqual({
      from: middle,
      to: newest,
      subject: 'shop: stage test: rename job unit -> fast',
      changes: [
        {
          kind: 'renamed',
          entity: 'pipeline/shop',
          label: 'shop',
          path: ['stage test'],
          subject: 'job',
          from: 'unit',
          to: 'fast',
          before: { first: 10, last: 10 },
          after: { first: 10, last: 10 },
          text: 'stage test: rename job unit → fast',
        },
      ],
    })
    expect(back.subject).toBe('shop: stage test: rename job fast -> unit')
  })

  it('are none between a revision and itself, and all of several steps', async () => {
    const { service, commits } = await serviceWithChanges()
    const [newest = '', , oldest = ''] = commits

    const none = await service.fetch(`/api/config/changes/${newest}/${newest}`)
    const both = await service.fetch(`/api/config/changes/${oldest}/${newest}`)

    expect(ChangesAnswer.parse(await none.json()).changes).toEqual([])
    const { changes } = ChangesAnswer.parse(await both.json())
    expect(changes.map(({ entity }) => entity)).toEqual(['pipeline/shop', 'pipeline/third'])
  })

  it('know what was renamed on the way, however much it has changed', async () => {
    const service = await openService()
    const other = [...Array(12).keys()].map((n) => `<exec command="step-${n}" />`).join('\n')
    const renamed = documentWith('shop').replace('pipeline name="shop"', 'pipeline name="store"')
    const changed = renamed
      .replace('<exec command="make" />', other)
      .replace('https://example.org/shop.git', 'https://example.com/elsewhere.git')
    await save(service, documentWith('shop'))
    await save(service, renamed)
    await save(service, changed)
    await save(service, changed.replace('pipeline name="store"', 'pipeline name="outlet"'))
    const [last = '', , , first = ''] = await commitsOf(service)

    const changesOf = async (from: string, to: string) => {
      const response = await service.fetch(`/api/config/changes/${from}/${to}`)
      const { changes } = ChangesAnswer.parse(await response.json())
      return changes.map(({ kind, entity }) => `${kind} ${entity}`)
    }
    const page = await (await service.fetch('/config/compare/r2/r5')).text()

    expect((await changesOf(first, last))[0]).toBe('renamed pipeline/outlet')
    expect((await changesOf(last, first))[0]).toBe('renamed pipeline/shop')
    expect(page).toMatch(/<span class="badge renamed">renamed<\/span>.*shop.*outlet/s)
    expect(page).not.toContain('<span class="badge removed">removed</span> pipeline')
  })

  it.each([
    ['x', 400],
    ['0'.repeat(40), 404],
  ])('of a commit %s are refused with %i', async (commit, status) => {
    const service = await openService()

    const response = await service.fetch(`/api/config/changes/${commit}/${commit}`)

    expect(response.status).toBe(status)
  })
})

describe('the revisions of an entity', () => {
  it('are those that changed it, newest first, page by page', async () => {
    const { service, commits } = await serviceWithChanges()
    const [newest, middle, oldest] = commits

    expect(await commitsOf(service, '?entity=pipeline/shop')).toEqual([newest, oldest])
    expect(await commitsOf(service, '?entity=pipeline%2FTHIRD')).toEqual([middle])
    expect(await commitsOf(service, '?entity=pipeline/shop&offset=1&limit=5')).toEqual([oldest])
    expect(await commitsOf(service, '?entity=pipeline/nobody')).toEqual([])
  })

  it.each(['shop', 'pipeline', 'nonsense/x', 'server/x', ''])(
    'are not asked for by %j',
    async (entity) => {
      const service = await openService()

      const response = await service.fetch(`/api/config/revisions?entity=${entity}`)

      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ errors: [{ path: 'entity' }] })
    },
  )
})
