// @module-tag long
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git } from '../../support/git/git.ts'
import { Clone, type GitOutcome, repositoryUrl } from '../../support/git/git-client.ts'
import { liveFileOf } from '../../support/history/push-scene.ts'
import {
  DELEGATED,
  DELEGATED_CASES,
  mayMake,
  type Person,
} from '../../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../../support/service/delegated-service.ts'
import { casesOf } from '../../support/programs/all-cases.ts'
import { save } from '../../support/service/saving.ts'
import { startService, type TestService } from '../../support/service/service.ts'

interface Scene {
  readonly service: TestService
  readonly clone: Clone
}

async function scene(): Promise<Scene> {
  const service = await startService()
  const clone = await Clone.of(service.url)
  await delegate(service)
  const repository = repositoryUrl(service.url, loginOf('root'))
  await clone.git('pull', '--quiet', repository, 'main')
  return { service, clone }
}

function pushAs(person: Person, { service, clone }: Scene): Promise<GitOutcome> {
  return clone.push(repositoryUrl(service.url, loginOf(person)), 'HEAD:main')
}

/** A push takes a second: these stand for the cases that every other door tries one by one. */
const FEW = [
  'the material of m1 in mine',
  'a move between own groups',
  'an own group and another',
  'an upstream that is hidden',
  'a sealed value of a hidden pipeline',
  'a comment between groups',
  'a task of the template tpl',
]
const CASES = casesOf({
  all: DELEGATED_CASES,
  mostly: DELEGATED_CASES.filter(({ what }) => FEW.includes(what)),
})
const PEOPLE: readonly Person[] = ['root', 'owner', 'templater', 'viewer']

describe('a push by the administrator of a group', () => {
  it('is open or not as at every other door', { timeout: 240_000 }, async () => {
    const { service, clone } = await scene()
    const repository = repositoryUrl(service.url, loginOf('root'))
    const [found, wanted]: [string[], string[]] = [[], []]
    for (const change of CASES) {
      for (const person of PEOPLE) {
        await clone.git('fetch', '--quiet', repository, 'main')
        await clone.git('reset', '--quiet', '--hard', 'FETCH_HEAD')
        await clone.commit(change.document)
        const { code } = await pushAs(person, { service, clone })
        found.push(`${person}: ${change.what}: ${code === 0}`)
        wanted.push(`${person}: ${change.what}: ${mayMake(person, change)}`)
        if (code === 0) await save(service, DELEGATED, loginOf('root'))
      }
    }

    expect(found).toEqual(wanted)
    expect(found.length).toBeGreaterThanOrEqual(FEW.length * PEOPLE.length)
  })

  it('is a revision of everything in it', async () => {
    const { service, clone } = await scene()
    await clone.commit(DELEGATED.replace('m1.git', 'x.git'))
    await clone.commit(DELEGATED.replace('m1.git', 'y.git'))

    const { code, stderr } = await pushAs('owner', { service, clone })
    const [, page = ''] = /Saved as r\d+: (\S+)/.exec(stderr) ?? []
    const shown = await service.fetch(page.slice(service.url.length), { as: loginOf('owner') })
    expect([code, shown.status, await shown.text()]).toEqual([
      0,
      200,
      expect.stringContaining('y.git'),
    ])
    expect(liveFileOf(service.repository)).toContain('y.git')
    const asRoot = { as: loginOf('root') }
    const revisions = await service.fetch('/api/config/revisions?limit=2', asRoot)
    const authors = JSON.parse(await revisions.text())
    const audit = await service.fetch('/api/audit?action=push-configuration', asRoot)
    expect(authors).toMatchObject([{ username: 'Gil' }, { username: 'Gil' }])
    expect(JSON.parse(await audit.text()).entries).toMatchObject([{ user: 'owner' }])
    expect(git(service.repository, 'reflog', '-1', '--format=%gn', 'main')).toContain('owner')
  })

  it('is refused where a commit on its way reaches beyond, with the reason', async () => {
    const { service, clone } = await scene()
    await clone.commit(DELEGATED.replace('s1.git', 'x.git'))
    await clone.commit(DELEGATED.replace('m1.git', 'y.git'))

    const { code, stderr } = await pushAs('owner', { service, clone })

    expect(code).toBe(1)
    expect(stderr).toContain('reaches beyond what owner administers: pipeline s1')
    expect(liveFileOf(service.repository)).toBe(DELEGATED)
  })

  it('is refused with other files, another mode of the document, or a merge', async () => {
    const { service, clone } = await scene()
    const start = (await clone.git('rev-parse', 'HEAD')).trim()
    const refusals: string[] = []
    const tryPush = async () => {
      const { code, stderr } = await pushAs('owner', { service, clone })
      refusals.push(
        /ng|rejected\] +HEAD -> main \((.*)\)/.exec(stderr)?.[1] ?? `${code}: ${stderr}`,
      )
      await clone.git('reset', '--quiet', '--hard', start)
    }
    writeFileSync(join(clone.folder, 'rules.yaml'), 'one\n')
    await clone.git('add', 'rules.yaml')
    await clone.commit(DELEGATED.replace('m1.git', 'x.git'))
    await tryPush()
    chmodSync(join(clone.folder, 'config.xml'), 0o755)
    await clone.commit(DELEGATED.replace('m1.git', 'x.git'))
    await tryPush()
    await clone.git('checkout', '--quiet', '-b', 'side')
    await clone.commit(DELEGATED.replace('m1.git', 'x.git'))
    await clone.git('checkout', '--quiet', '-B', 'main', start)
    await clone.commit(DELEGATED.replace('o1.git', 'y.git'))
    await clone.git('merge', '--quiet', '--no-ff', '-m', 'Both', 'side')
    await tryPush()

    expect(refusals).toEqual([
      expect.stringMatching(/^Commit [0-9a-f]{10} changes "rules\.yaml"/),
      expect.stringMatching(/^Commit [0-9a-f]{10} changes "config\.xml"/),
      expect.stringMatching(/^Commit [0-9a-f]{10} is a merge/),
    ])
  })

  it('leaves clones and fetches to administrators of the server', async () => {
    const { service, clone } = await scene()

    const { code } = await clone.try('fetch', repositoryUrl(service.url, loginOf('owner')), 'main')
    const push = await pushAs('viewer', { service, clone })

    expect(code).not.toBe(0)
    expect(push.code).not.toBe(0)
  })
})
