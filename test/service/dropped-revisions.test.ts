// @module-tag long
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bundleRepository } from '../../src/git/bundle.ts'
import { restoreFolder } from '../../src/history/sync/restore-folder.ts'
import { documentWith } from '../support/documents/documents.ts'
import { repositoryUrl, runGit } from '../support/git/git-client.ts'
import { git, gitLine } from '../support/git/git.ts'
import { untilUnlocked } from '../support/git/until-unlocked.ts'
import { until } from '../support/programs/until.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService, startService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const List = z.array(z.object({ md5: z.string(), commitSHA: z.string() }))
type Listed = z.infer<typeof List>[number]

async function listOf(service: CalledService): Promise<readonly Listed[]> {
  return List.parse(await (await service.fetch('/api/config/revisions')).json())
}

function snapshotOf(service: CalledService, { md5 }: Listed): Promise<Response> {
  return service.fetch(`/api/admin/config/${md5}.xml`)
}

async function textOf(service: CalledService, path: string): Promise<string> {
  return (await service.fetch(path)).text()
}

/** Takes the branch elsewhere with git, and returns once the service has followed. */
async function rewrite(service: CalledService, ...args: readonly string[]): Promise<void> {
  await untilUnlocked(service.repository)
  git(service.repository, ...args)
  const head = gitLine(service.repository, 'rev-parse', 'HEAD')
  await until(async () => (await listOf(service))[0]?.commitSHA === head, 10_000)
}

function prune(repository: string): void {
  git(repository, 'reflog', 'expire', '--expire=now', '--all')
  git(repository, 'gc', '--quiet', '--prune=now')
}

/** A service with three revisions, newest first. */
async function served() {
  const folder = tempDir()
  const service = await openService([], folder)
  for (const name of ['two', 'three']) await save(service, documentWith(name))
  const [newest, before, first] = await listOf(service)
  if (!newest || !before || !first) throw new Error('Three revisions were expected')
  return { service, folder, newest, before, first }
}

function withNote(name: string): string {
  return documentWith(name).replace('</cruise>', '  <!-- Mine. -->\n</cruise>')
}

function withAnt(name: string): string {
  return documentWith(name).replace('"make"', '"ant"')
}

describe('a revision that a reset has taken from the branch', () => {
  it('is served by its digest, whatever git collects, and after the next start', async () => {
    const { service, folder, newest, before } = await served()
    await rewrite(service, 'reset', '--quiet', '--hard', 'HEAD~1')
    prune(service.repository)

    const snapshot = await snapshotOf(service, newest)
    expect([snapshot.status, await snapshot.text()]).toEqual([200, documentWith('three')])
    expect((await listOf(service))[0]).toEqual(before)
    await service.close()

    const again = await openService([], folder)
    expect(await (await snapshotOf(again, newest)).text()).toBe(documentWith('three'))
  })

  it('is compared by its commit, as text and as changes', async () => {
    const { service, newest, before, first } = await served()
    await rewrite(service, 'reset', '--quiet', '--hard', 'HEAD~2')

    for (const [one, other] of [
      [before, newest],
      [newest, first],
    ] as const) {
      const pair = `${one.commitSHA}/${other.commitSHA}`
      expect(await textOf(service, `/api/config/diff/${pair}`)).toContain('<pipeline name="three">')
      expect((await service.fetch(`/api/config/changes/${pair}`)).status).toBe(200)
    }
    expect((await snapshotOf(service, before)).status).toBe(200)
  })

  it('is in no list, no search and no page, and no watch goes on from it', async () => {
    const { service, newest, first } = await served()
    await rewrite(service, 'reset', '--quiet', '--hard', 'HEAD~2')

    expect(await listOf(service)).toEqual([first])
    expect(await textOf(service, '/api/config/revisions?text=three')).toBe('[]')
    for (const path of [
      `/config/${newest.md5}`,
      `/config/${newest.commitSHA}`,
      `/config/compare/${newest.commitSHA}/current`,
      `/api/config/watch?wait=0&since=${newest.commitSHA}`,
    ])
      expect([path, (await service.fetch(path)).status]).toEqual([path, 404])
  })

  it('is what an edit may have begun from, which is merged', async () => {
    const { service, newest } = await served()
    await rewrite(service, 'reset', '--quiet', '--hard', 'HEAD~1')
    const edit = documentWith('three').replace('<cruise ', '<!-- edited -->\n<cruise ')

    const saved = await service.fetch('/api/admin/config.xml', {
      method: 'PUT',
      headers: { 'if-match': `"${newest.md5}"` },
      body: edit,
    })

    expect(saved.status).toBe(200)
    const current = await textOf(service, '/api/admin/config.xml')
    expect(current).toContain('<!-- edited -->')
    expect(current).toContain('<pipeline name="two">')
  })

  it('is an ordinary revision again when the reset is undone', async () => {
    const { service, newest } = await served()
    const all = await listOf(service)
    for (let turn = 0; turn < 2; turn += 1) {
      await rewrite(service, 'reset', '--quiet', '--hard', 'HEAD~1')
      await rewrite(service, 'reset', '--quiet', '--hard', newest.commitSHA)
    }

    expect(await listOf(service)).toEqual(all)
    expect((await service.fetch(`/config/${newest.md5}`)).status).toBe(200)
    expect(await (await snapshotOf(service, newest)).text()).toBe(documentWith('three'))
  })

  it('is kept when that happened while the service was stopped', async () => {
    const { service, folder, newest } = await served()
    await service.close()
    git(service.repository, 'reset', '--quiet', '--hard', 'HEAD~1')

    const again = await openService([], folder)
    prune(service.repository)
    expect(await (await snapshotOf(again, newest)).text()).toBe(documentWith('three'))
  })

  it('is kept beside those of other resets and amends', async () => {
    const { service, newest, before } = await served()
    await rewrite(service, 'commit', '--quiet', '--amend', '--message', 'Another name')
    await rewrite(service, 'reset', '--quiet', '--hard', 'HEAD~1')
    await save(service, documentWith('four'))
    const [four] = await listOf(service)
    await rewrite(service, 'reset', '--quiet', '--hard', 'HEAD~2')
    prune(service.repository)

    for (const [revision, name] of [
      [newest, 'three'],
      [before, 'two'],
      [four ?? newest, 'four'],
    ] as const)
      expect(await (await snapshotOf(service, revision)).text()).toBe(documentWith(name))
    const pair = `${before.commitSHA}/${newest.commitSHA}`
    expect((await service.fetch(`/api/config/diff/${pair}`)).status).toBe(200)
  })

  it('is gone when the operator removes its name, to be rid of it', async () => {
    const { service, newest } = await served()
    await rewrite(service, 'reset', '--quiet', '--hard', 'HEAD~1')
    expect((await snapshotOf(service, newest)).status).toBe(200)

    git(service.repository, 'update-ref', '-d', `refs/cairn/dropped/${newest.commitSHA}`)
    prune(service.repository)

    expect((await snapshotOf(service, newest)).status).toBe(404)
  })

  it('is in a backup of the repository, and seen by no client of git', async () => {
    const service = await startService()
    for (const name of ['two', 'three']) await save(service, documentWith(name))
    const [newest] = await listOf(service)
    await rewrite(service, 'reset', '--quiet', '--hard', 'HEAD~1')
    const client = tempDir()

    const listed = await runGit(client, ['ls-remote', repositoryUrl(service.url)])
    const folder = tempDir()
    const places = { repository: join(folder, 'config-repo'), fileName: 'config.xml' }
    const tools = { programPath: process.env['PATH'], bundle: join(client, 'backup.bundle') }
    const head = await bundleRepository({ repository: service.repository, ...tools })
    await restoreFolder({ ...places, ...tools }, head)
    const other = await openService([], folder)

    expect(listed.stdout).toContain('refs/heads/main')
    expect(listed.stdout).not.toContain('cairn')
    expect(newest && (await snapshotOf(other, newest)).status).toBe(200)
    expect(await listOf(other)).toHaveLength(2)
  })

  it('is not found by its name on pages, which say so', async () => {
    const { service, newest } = await served()
    await rewrite(service, 'reset', '--quiet', '--hard', 'HEAD~1')
    const [current] = await listOf(service)
    const { commitSHA: commit, md5 } = newest

    const paths = [
      `/config/${md5}?blame=1`,
      `/config/${commit}/restore`,
      `/config/edit?from=${commit}`,
      `/config/compare/${current?.commitSHA}/${commit}`,
      `/config/entity/pipeline/three?at=${commit}`,
      `/api/config/revisions?q=${commit}`,
    ]
    const statuses = await Promise.all(
      paths.map(async (path) => (await service.fetch(path)).status),
    )
    expect(statuses.filter((status) => status >= 500)).toEqual([])
  })

  it('is what a draft in the editor may have begun from, which is merged', async () => {
    const { service, newest } = await served()
    await rewrite(service, 'reset', '--quiet', '--hard', 'HEAD~1')
    const edit = (xml: string, action: string) => {
      const body = new URLSearchParams({ basedOn: newest.md5, xml, action })
      return service.fetch('/config/edit', { method: 'POST', body })
    }

    const opened = await (await edit(withNote('three'), 'edit')).text()
    const preview = await (await edit(withNote('three'), 'preview')).text()
    const conflict = await edit(withAnt('three'), 'save')
    const saved = await edit(withNote('three'), 'save')

    expect(opened).toContain(`name="basedOn" value="${newest.md5}"`)
    expect(opened).toContain('Started from a revision no longer on the branch')
    expect(preview).toContain(
      `The branch no longer has the revision that you started from; it is at r2 now.</b> You started from ${newest.md5.slice(0, 8)}`,
    )
    expect([conflict.status, await conflict.text()]).toEqual([
      409,
      expect.stringContaining('Take admin’s (r2)'),
    ])
    expect(saved.status).toBe(303)
    expect(await textOf(service, '/api/admin/config.xml')).toBe(withNote('two'))
  })
})
