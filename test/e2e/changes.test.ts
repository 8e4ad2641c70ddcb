import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const FAST = ['--poll-interval', '100ms']
const WAIT = { timeout: 8_000, interval: 50 }

async function newestOf(service: TestService): Promise<RevisionEntry | undefined> {
  const response = await service.fetch('/api/config/revisions?limit=1')
  return z.array(RevisionEntry).parse(await response.json())[0]
}

async function currentOf(service: TestService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

async function healthOf(service: TestService): Promise<string> {
  return (await service.fetch('/health')).text()
}

describe('the live file edited on disk', () => {
  it.each([
    ['in place', (file: string, text: string) => writeFileSync(file, text)],
    [
      'through a rename',
      (file: string, text: string) => {
        writeFileSync(`${file}.tmp`, text)
        renameSync(`${file}.tmp`, file)
      },
    ],
  ])('%s becomes a revision by Filesystem', async (_how, write) => {
    const service = await startService(FAST)
    const edited = documentWith('by-hand')

    write(join(service.repository, 'config.xml'), edited)

    await expect.poll(() => currentOf(service), WAIT).toBe(edited)
    expect((await newestOf(service))?.username).toBe('Filesystem')
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
  })

  it('stays as it is when invalid, is reported with line and column, and the last valid one stays current', async () => {
    const service = await startService(FAST)
    await save(service, documentWith('good'))
    const file = join(service.repository, 'config.xml')

    writeFileSync(file, documentWith('bad').replace('</jobs>', ''))

    await expect.poll(() => healthOf(service), WAIT).toContain('"line"')
    expect(await currentOf(service)).toBe(documentWith('good'))
    writeFileSync(file, documentWith('repaired'))
    await expect.poll(() => healthOf(service), WAIT).toContain('"ok"')
    expect(await currentOf(service)).toBe(documentWith('repaired'))
  })

  it('is set aside when someone else saves while it is invalid', async () => {
    const service = await startService(FAST)
    const invalid = documentWith('bad').replace('</jobs>', '')
    writeFileSync(join(service.repository, 'config.xml'), invalid)
    await expect.poll(() => healthOf(service), WAIT).toContain('"line"')

    const response = await save(service, documentWith('next'))

    expect(response.status).toBe(200)
    const kept = git(service.repository, 'ls-files', '--others', '--ignored', '--exclude-standard')
      .trim()
      .split('\n')
    expect(kept.some((name) => name.startsWith('config.xml.invalid'))).toBe(true)
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
  })

  it('is not lost when it is saved just before a request saves', async () => {
    const service = await startService(['--poll-interval', '1h'])
    writeFileSync(join(service.repository, 'config.xml'), documentWith('by-hand'))

    await save(service, documentWith('by-request'))

    const users = git(service.repository, 'log', '--format=%an').trim().split('\n')
    expect(users.slice(0, 2)).toEqual(['admin', 'Filesystem'])
  })

  it('does not take the service down when it is deleted', async () => {
    const service = await startService(FAST)
    await save(service, documentWith('kept'))

    rmSync(join(service.repository, 'config.xml'))

    await expect.poll(() => git(service.repository, 'status', '--porcelain'), WAIT).toBe('')
    expect(await currentOf(service)).toBe(documentWith('kept'))
  })
})

describe('a commit made with git', () => {
  it('in the repository becomes a revision by its author', async () => {
    const service = await startService(['--poll-interval', '1s'])
    writeFileSync(join(service.repository, 'config.xml'), documentWith('native'))
    git(service.repository, 'commit', '-qam', 'Native change')

    await expect.poll(() => currentOf(service), WAIT).toBe(documentWith('native'))

    const newest = await newestOf(service)
    expect(['Gil', 'Filesystem']).toContain(newest?.username)
    expect(newest?.commitSHA).toBe(git(service.repository, 'rev-parse', 'HEAD').trim())
  })

  it(
    'and pushed becomes a revision, or is refused with line and column',
    { tags: ['long'] },
    async () => {
      const service = await startService(FAST)
      const clone = join(tempDir(), 'clone')
      git(service.folder, 'clone', '-q', service.repository, clone)
      writeFileSync(join(clone, 'config.xml'), documentWith('pushed'))
      git(clone, 'commit', '-qam', 'Pushed change')
      git(clone, 'push', '-q')

      await expect.poll(() => currentOf(service), WAIT).toBe(documentWith('pushed'))
      expect(await newestOf(service)).toMatchObject({ username: 'Gil', serverVersion: 'N/A' })

      writeFileSync(join(clone, 'config.xml'), documentWith('pushed').replace('</jobs>', ''))
      git(clone, 'commit', '-qam', 'Broken change')
      expect(() => git(clone, 'push', '-q')).toThrow(/config\.xml:\d+:\d+/)
      expect(await currentOf(service)).toBe(documentWith('pushed'))
    },
  )
})
