// @module-tag long

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { documentWith } from '../../support/documents/documents.ts'
import { Clone } from '../../support/git/git-client.ts'
import { gitLine } from '../../support/git/git.ts'
import { save } from '../../support/service/saving.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const Revisions = z.array(z.object({ commitSHA: z.string() }))

async function revisionsOf(service: TestService) {
  return Revisions.parse(await (await service.fetch('/api/config/revisions')).json())
}

async function withRevisions(...names: readonly string[]): Promise<TestService> {
  const service = await startService(['--object-format', 'sha256'])
  for (const name of names) await save(service, documentWith(name))
  return service
}

async function textOf(service: TestService, path: string): Promise<string> {
  const response = await service.fetch(path)
  return `${response.status} ${await response.text()}`
}

describe('a service over a repository with SHA-256 names', () => {
  it('knows commits by 64 characters in calls and pages, and by their beginning', async () => {
    const service = await withRevisions('one', 'two')
    const [newest, before] = await revisionsOf(service)
    const [to = '', from = ''] = [newest?.commitSHA, before?.commitSHA]

    expect(to).toBe(gitLine(service.repository, 'rev-parse', 'HEAD'))
    expect(to).toHaveLength(64)
    expect(await textOf(service, `/api/config/diff/${from}/${to}`)).toMatch(/^200 @@/)
    expect(await textOf(service, `/config/compare/${from}/${to}`)).toContain('200 <!doctype html>')
    const patch = await service.fetch(`/config/compare/${from}/${to}.patch`)
    expect(patch.headers.get('cache-control')).toContain('immutable')
    expect(await textOf(service, `/config/${to}`)).toContain('<title>Current config')
    for (const part of [to.slice(0, 7), to.slice(0, 41), to]) {
      expect(await textOf(service, `/search/results.json?q=${part}`)).toContain('"Revisions"')
    }
    expect((await service.fetch(`/api/config/diff/${from}/${to.slice(0, 40)}`)).status).toBe(404)
    expect((await service.fetch(`/api/config/diff/${from}/${to.slice(0, 41)}`)).status).toBe(400)
  })

  it('is cloned, fetched from and pushed to', async () => {
    const service = await withRevisions('one')
    const clone = await Clone.of(service.url)
    await save(service, documentWith('two'))
    await clone.git('pull', '--quiet', '--ff-only')
    const pushed = await clone.commit(documentWith('three'))

    expect(await clone.push()).toMatchObject({ code: 0 })

    expect((await revisionsOf(service))[0]?.commitSHA).toBe(pushed)
    expect(await textOf(service, '/api/admin/config.xml')).toBe(`200 ${documentWith('three')}`)
    await clone.commit('<cruise')
    expect(await clone.push()).toMatchObject({ code: 1 })
  })
})
