// @module-tag long
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { git } from '../support/git/git.ts'
import { until } from '../support/programs/until.ts'
import { documentWith } from '../support/documents/documents.ts'
import { archive } from '../support/service/archives.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const List = z.array(z.object({ md5: z.string(), commitSHA: z.string(), time: z.number() }))

async function listOf(service: CalledService) {
  return List.parse(await (await service.fetch('/api/config/revisions')).json()).toReversed()
}

async function textOf(service: CalledService, path: string): Promise<string> {
  return (await service.fetch(path)).text()
}

/** Four revisions, the first two of them in a file. */
async function archived() {
  const [folder, file] = [tempDir(), join(tempDir(), 'old.bundle')]
  const service = await openService([], folder)
  for (const name of ['two', 'three', 'four']) await save(service, documentWith(name))
  const revisions = await listOf(service)
  const [, r2, r3] = revisions
  if (!r2 || !r3) throw new Error('Four revisions were saved')
  await service.close()
  await archive(service.repository, { file, before: r3.time })
  return { folder, file, revisions, r2, r3 }
}

describe('revisions in an archive', () => {
  it('are not listed, and pages and refusals say where they are', async () => {
    const { folder, revisions, r2, r3 } = await archived()
    const service = await openService([], folder)

    expect(await listOf(service)).toEqual(revisions.slice(2))
    const page = await textOf(service, '/config')
    expect(page).toContain('Older revisions are in an archive')
    expect(page).toContain('2 revisions since')
    expect(page).toContain('/config/compare/r3/r4')
    expect(page).not.toContain('/config/compare/r2/r3')
    const snapshot = await service.fetch(`/api/admin/config/${r2.md5}.xml`)
    expect(snapshot.status).toBe(404)
    expect(await snapshot.text()).toContain('it may be in an archive')
    expect(await textOf(service, `/api/admin/config/${r3.md5}.xml`)).toBe(documentWith('three'))
  })

  it('are told from those that there never were, by commit, number and time', async () => {
    const { folder, r2, r3 } = await archived()
    const service = await openService([], folder)
    const maybe = 'it may be in an archive: older revisions are'

    for (const path of [
      `/api/config/diff/${r2.commitSHA}/${r3.commitSHA}`,
      `/api/config/changes/${r2.commitSHA}/${r3.commitSHA}`,
      `/api/config/watch?wait=0&since=${r2.commitSHA}`,
      `/config/${r2.commitSHA}`,
      `/config/${r2.md5}`,
      '/config/at?time=2001-01-01',
    ]) {
      const answer = await service.fetch(path)
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        404,
        expect.stringContaining(maybe),
      ])
    }
    for (const path of ['/config/r2', '/config/compare/r2/r4', '/config/compare/r1/r2']) {
      const answer = await service.fetch(path)
      expect(answer.status).toBe(404)
      expect(await answer.text()).toContain(': it is in an archive, as all before r3 are')
    }
    const never = await service.fetch('/config/r5')
    expect(never.status).toBe(404)
    expect(await never.text()).not.toContain('archive')
  })

  it('are not in the history of an entity, nor found by their text', async () => {
    const { folder } = await archived()
    const service = await openService([], folder)
    const found = async (text: string) =>
      List.parse(await (await service.fetch(`/api/config/revisions?text=${text}`)).json())
    const byGit = (text: string) =>
      git(service.repository, 'log', '-S', text, '--format=%H').split('\n').filter(Boolean)

    const page = await textOf(service, '/config/entity/pipeline/four')
    expect([...page.matchAll(/<li class="step" id="(r\d+)">/g)].map(([, id]) => id)).toEqual([
      'r4',
      'r3',
    ])
    expect(page).toContain('Formerly')
    expect(page).not.toContain('two')
    for (const text of ['two', 'three', 'four', 'cruise']) {
      expect([text, (await found(text)).map(({ commitSHA }) => commitSHA)]).toEqual([
        text,
        byGit(text),
      ])
    }
  })

  it(
    'are what a mirror needs that is empty or ends with them, as health says',
    { tags: ['long'] },
    async () => {
      const { folder, file } = await archived()
      const mirror = tempDir()
      git(mirror, 'init', '--quiet', '--bare', '--initial-branch=main')
      const service = await openService(['--mirror', mirror], folder)
      const isSaid = async (words: string) => (await textOf(service, '/health')).includes(words)

      await until(
        () => isSaid('It lacks revisions that are in an archive: bring them back'),
        30_000,
      )
      git(mirror, 'fetch', '--quiet', file, 'refs/heads/archive:refs/heads/main')
      await save(service, documentWith('five'))
      await until(() => isSaid('or ends with revisions that are in an archive: then bring'), 30_000)
      expect(git(mirror, 'rev-list', '--count', 'main').trim()).toBe('2')
    },
  )

  it('are read and compared by digest, commit and number where the file is at hand', async () => {
    const { folder, file, revisions, r2, r3 } = await archived()
    const service = await openService(['--archive', file], folder)

    expect(await listOf(service)).toEqual(revisions.slice(2))
    expect(await textOf(service, `/api/admin/config/${r2.md5}.xml`)).toBe(documentWith('two'))
    const diff = await textOf(service, `/api/config/diff/${r2.commitSHA}/${r3.commitSHA}`)
    expect(diff).toContain('-    <pipeline name="two">')
    const changes = await textOf(service, `/api/config/changes/${r2.commitSHA}/${r3.commitSHA}`)
    expect(changes).toContain('rename pipeline two → three')
    expect((await service.fetch('/config/compare/r2/r4')).status).toBe(200)
    expect(await textOf(service, '/config/r2?blame=1')).toContain('two')
    await service.close()

    const again = await openService(['--archive', file], folder)
    expect(await textOf(again, `/api/admin/config/${r2.md5}.xml`)).toBe(documentWith('two'))
    await again.close()
    appendFileSync(file, 'damage')
    await expect(openService(['--archive', file], folder)).rejects.toThrow(
      /is not an archive of this repository, or is not as it was written/,
    )
  })

  it('are read and compared there too where git had taken them from the branch before', async () => {
    const [folder, file] = [tempDir(), join(tempDir(), 'old.bundle')]
    const service = await openService([], folder)
    for (const name of ['two', 'dropped']) await save(service, documentWith(name))
    const [, r2, dropped] = await listOf(service)
    if (!r2 || !dropped) throw new Error('Three revisions were saved')
    git(service.repository, 'reset', '--quiet', '--hard', r2.commitSHA)
    await until(async () => (await listOf(service)).length === 2, 10_000)
    for (const name of ['three', 'four']) await save(service, documentWith(name))
    const r4 = (await listOf(service))[3]
    if (!r4) throw new Error('Four revisions were left')
    await service.close()
    await archive(service.repository, { file, before: r4.time })
    const [snapshot, pair] = [
      `/api/admin/config/${dropped.md5}.xml`,
      `${r4.commitSHA}/${dropped.commitSHA}`,
    ]

    const without = await openService([], folder)
    expect((await without.fetch(snapshot)).status).toBe(404)
    await without.close()
    const again = await openService(['--archive', file], folder)
    expect(await textOf(again, snapshot)).toBe(documentWith('dropped'))
    expect(await textOf(again, `/api/config/diff/${pair}`)).toContain(
      '+    <pipeline name="dropped">',
    )
    expect((await again.fetch(`/config/${dropped.md5}`)).status).toBe(404)
  })
})
