// @module-tag long
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { fastImport } from '../support/git/fast-import.ts'
import { Clone } from '../support/git/git-client.ts'
import { git, gitLine } from '../support/git/git.ts'
import { backUp, checkCodes, placesIn, restoreNew } from '../support/service/backups.ts'
import { save } from '../support/service/saving.ts'
import { ADMIN_PASSWORD, callerOf } from '../support/service/service.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'

const COMMIT = /^[0-9a-f]{64}$/

async function serve(folder: string, ...flags: readonly string[]) {
  const more = ['--port', '0', '--admin-password', ADMIN_PASSWORD, '--poll-interval', '200ms']
  const program = start(['serve', ...placesIn(folder), ...more, ...flags])
  const url = await program.line(/^cairn ready (\S+)\n$/)
  const fetch = callerOf(url)
  const commits = async (): Promise<string[]> => {
    const revisions: unknown = await (await fetch('/api/config/revisions?limit=100')).json()
    return Array.isArray(revisions) ? revisions.map(({ commitSHA }) => String(commitSHA)) : []
  }
  return { program, url, fetch, commits }
}

function complaintsOf(repository: string): string {
  return git(repository, 'fsck', '--strict', '--no-dangling') + git(repository, 'status', '--short')
}

describe('a repository whose names are SHA-256', { timeout: 120_000 }, () => {
  it('is made, saved to, committed to, pushed to, killed over, backed up and restored', async () => {
    const folder = tempDir()
    const repository = join(folder, 'config-repo')
    const first = await serve(folder, '--object-format', 'sha256')
    expect(gitLine(repository, 'rev-parse', '--show-object-format')).toBe('sha256')
    expect((await save(first, documentWith('saved'))).status).toBe(200)

    await fastImport(repository, [documentWith('native')])
    const native = gitLine(repository, 'rev-parse', 'HEAD')
    await until(async () => (await first.commits()).includes(native), 30_000)
    const clone = await Clone.of(first.url)
    const pushed = await clone.commit(documentWith('pushed'))
    expect(await clone.push()).toMatchObject({ code: 0 })
    expect((await first.commits())[0]).toBe(pushed)

    const ended = first.program.ended()
    const acknowledged: string[] = []
    for (let n = 0; n < 3; n += 1) {
      const { status } = await save(first, documentWith(`answered${n}`))
      const [newest = ''] = await first.commits()
      if (status === 200) acknowledged.push(newest)
    }
    const torn = save(first, documentWith('torn')).catch(() => null)
    first.program.process.kill('SIGKILL')
    await Promise.all([ended, torn])

    const second = await serve(folder)
    const commits = await second.commits()
    expect(acknowledged).toHaveLength(3)
    expect(commits).toEqual(expect.arrayContaining([...acknowledged, native, pushed]))
    expect(commits.every((commit) => COMMIT.test(commit))).toBe(true)
    await until(() => complaintsOf(repository) === '', 30_000)
    const file = join(folder, 'backup.tar.gz')
    expect(await backUp(folder, file)).toMatchObject({ code: 0 })
    second.program.process.kill('SIGTERM')
    await second.program.ended()

    const restored = await restoreNew(file)
    expect(restored).toMatchObject({ code: 0 })
    expect([...(await checkCodes(folder)), ...(await checkCodes(restored.folder))]).toEqual([
      0, 0, 0, 0,
    ])
    const third = await serve(restored.folder)
    expect(await third.commits()).toEqual(commits)
    expect(complaintsOf(join(restored.folder, 'config-repo'))).toBe('')
  })
})
