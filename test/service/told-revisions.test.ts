import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { commitFile, git } from '../support/git/git.ts'
import { until } from '../support/programs/until.ts'
import { DELEGATED } from '../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../support/service/delegated-service.ts'
import { movedPipeline } from '../support/service/moved-pipeline.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const ROOT = loginOf('root')
/** Names and values that lie outside the groups of the owner, "mine" and "ours". */
const OTHERS = /(?<!•••• )hidden|\bh[129]\b|h1-|shown|\bs[129]\b|\blive\b|lively|secret-word/

/** Each revision changes something of the owner, and something of others. */
const STEPS: readonly (readonly [message: string, next: (document: string) => string])[] = [
  [
    'both',
    (document) => document.replace('m1.git', 'm1-else.git').replace('h1.git', 'h1-else.git'),
  ],
  ['others', (document) => document.replace('h1-else.git', 'h1-secret-word.git')],
  [
    'into mine under another name',
    (document) =>
      movedPipeline('h1', 'm1', document)
        .replace('name="h1"', 'name="came"')
        .replace('h1-secret-word.git', 'arrived.git')
        .replaceAll(/ *<(?:package ref="p-|scm ref="s-)hidden".*\n/g, ''),
  ],
  ['came', (document) => document.replace('arrived.git', 'came.git')],
  [
    'out of ours under another name',
    (document) =>
      movedPipeline('o2', 'h2', document)
        .replace('name="o2"', 'name="h9"')
        .replace('live', 'lively'),
  ],
  ['gone', (document) => document.replace('o2.git', 'h9-secret-word.git')],
]

async function scene(): Promise<CalledService> {
  const service = await delegate(await openService())
  let document = DELEGATED
  for (const [message, next] of STEPS) {
    document = next(document)
    const headers = { 'if-match': '*', 'x-cairn-message': encodeURIComponent(message) }
    const init = { method: 'PUT', headers, body: document, as: ROOT }
    const answer = await service.fetch('/api/admin/config.xml', init)
    expect([message, answer.status]).toEqual([message, 200])
  }
  return service
}

const Told = z.object({ number: z.number(), subject: z.string() })

async function told(service: CalledService, path: string, as = loginOf('owner')) {
  const answer = await service.fetch(path, { as })
  const text = await answer.text()
  const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true
  const links = text.match(/href="[^"]*"/g) ?? []
  const read = isPage ? [text.replaceAll(/<[^>]*>/g, ''), ...links].join('\n') : text
  expect([path, answer.status, OTHERS.exec(read)?.[0]]).toEqual([path, 200, undefined])
  return text
}

describe('the administrator of a group', () => {
  it('hears in the history of it what changed in it, and nothing of others', async () => {
    const service = await scene()
    const subjects = async (entity: string) => {
      const list = await told(service, `/api/config/revisions?entity=${entity}`)
      return z
        .array(Told.extend({ message: z.string() }))
        .parse(JSON.parse(list))
        .map(({ number, subject, message }) => `r${number} ${message}: ${subject}`)
    }

    expect(await subjects('group/mine')).toEqual([
      expect.stringMatching(/^r6 came: came: material git .*came\.git$/),
      'r5 into mine under another name: Add pipeline came',
      expect.stringMatching(/^r3 both: m1: material git .*m1-else\.git$/),
      expect.stringMatching(/^r2 : Add pipelines m1, m2; add group mine$/),
    ])
    expect(await subjects('group/ours')).toEqual([
      'r7 out of ours under another name: Remove pipeline o2',
      expect.stringMatching(/^r2 : Add pipelines o1, o2; add group ours$/),
    ])
    expect(await subjects('pipeline/m1')).toEqual([
      expect.stringMatching(/^r3 both: m1: material git .*m1-else\.git$/),
      'r2 : Add pipeline m1',
    ])
  })

  it('hears no more in feeds, in the changes of a revision, and in who wrote a line', async () => {
    const service = await scene()

    for (const entity of ['group/mine', 'group/ours', 'pipeline/m1', 'pipeline/came']) {
      const feed = await told(service, `/config/feed.atom?entity=${entity}`)
      expect(feed).toContain('<entry>')
      expect(await told(service, `/config/feed.json?entity=${entity}`)).toContain('"subject"')
    }
    expect(await told(service, '/config/feed.atom?entity=group/mine')).toContain(
      'href="http://127.0.0.1/config/entity/group/mine/compare/r2/r3"',
    )
    for (const number of [3, 4, 5, 6, 7, 8]) {
      await told(service, `/api/config/changes/r${number}?entity=pipeline/m2`)
      const text = await told(service, `/api/config/blame/r${number}?entity=pipeline/m1`)
      expect(text).toContain('m1-else.git')
    }
    const blame = JSON.parse(await told(service, '/api/config/blame/r8?entity=pipeline/came'))
    const { parts } = z.object({ parts: z.array(z.object({ revision: Told })) }).parse(blame)
    expect(parts.map(({ revision: { number, subject } }) => `r${number} ${subject}`)).toEqual([
      'r5 Add pipeline came',
      expect.stringMatching(/^r6 came: material git .*came\.git$/),
      'r5 Add pipeline came',
    ])
  })

  it('has a page of all that changed in the group, to which links for administrators lead', async () => {
    const service = await scene()
    const as = loginOf('owner')
    const target = async (path: string) => {
      const answer = await service.fetch(path, { as, redirect: 'manual' })
      return [answer.status, answer.headers.get('location')]
    }

    const page = await told(service, '/config/entity/group/mine')
    const ours = await told(service, '/config/entity/group/ours')
    const history = await target('/config?entity=group/mine')
    const compare = await target('/config/compare/r2/r6?entity=group/mine&view=unified')
    const changes = await told(service, '/config/entity/group/mine/compare/r2/r6')

    expect(page.match(/id="r\d+"/g)).toEqual(['id="r6"', 'id="r5"', 'id="r3"', 'id="r2"'])
    expect(page).toContain('4 revisions of the group and its pipelines that you can see')
    const text = page.replaceAll(/<[^>]*>/g, '')
    for (const part of ['m1-else.git', 'pipeline came', 'came.git']) expect(text).toContain(part)
    expect(page).toContain('href="/config/entity/group/mine/compare/r2/r3"')
    expect(page).toContain('href="/config/entity/pipeline/m1/compare/r2/r3"')
    expect(ours.match(/id="r\d+"/g)).toEqual(['id="r7"', 'id="r2"'])
    expect(history).toEqual([302, '/config/entity/group/mine'])
    expect(compare).toEqual([302, '/config/entity/group/mine/compare/r2/r6?view=unified'])
    expect(changes.replaceAll(/<[^>]*>/g, '')).toContain('came.git')
  })

  it('reads on pages no subject of a commit that changed something of others too', async () => {
    const service = await delegate(await openService())
    const committed = async (message: string, next: (document: string) => string) => {
      const file = join(service.repository, 'config.xml')
      writeFileSync(file, next(readFileSync(file, 'utf8')))
      const commit = commitFile(service.repository, { name: 'config.xml', message })
      const path = `/api/config/changes/${commit}`
      await until(async () => (await service.fetch(path, { as: ROOT })).status === 200)
    }
    await committed('Point m1 and h1 elsewhere\n\nBoth moved', (document) =>
      document.replace('m1.git', 'm1-else.git').replace('h1.git', 'h1-else.git'),
    )
    await committed('Point m1 back', (document) => document.replace('m1-else.git', 'm1.git'))

    for (const path of [
      '/config/entity/pipeline/m1',
      '/config/entity/group/mine',
      '/config/entity/pipeline/m1/compare/r2/r3',
      '/pipelines/m1',
    ]) {
      expect([path, await told(service, path)]).toEqual([
        path,
        expect.stringContaining('Both moved'),
      ])
    }
    expect(await told(service, '/config/entity/pipeline/m1')).toContain('Point m1 back')
    const all = await (await service.fetch('/config/entity/pipeline/m1', { as: ROOT })).text()
    expect(all).toContain('Point m1 and h1 elsewhere')
  })

  it('reads the words of a commit that changed nothing of others', async () => {
    const service = await scene()
    const all = z
      .array(Told)
      .parse(JSON.parse(await (await service.fetch('/api/config/revisions', { as: ROOT })).text()))
    const subjects = git(service.repository, 'log', '--format=%s').trim().split('\n')

    expect(all.map(({ subject }) => subject)).toEqual(subjects)
    const own = z
      .array(Told)
      .parse(JSON.parse(await told(service, '/api/config/revisions?entity=pipeline/came')))
    expect(own[0]?.subject).toBe(subjects[2])
  })
})
