import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { repositoryUrl } from '../support/git/git-client.ts'
import { git, readObjects } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { startService } from '../support/service/service.ts'
import { SHARED_DATA } from '../support/programs/shared-data.ts'
import { run, start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { FILE, type Facts, md5, Source, Target, factsOf } from '../support/history/import-places.ts'

/**
 * The facts in the messages of the original and the bytes of the file, read independently, newest
 * first.
 */
function recordedIn(folder: string): Facts[] {
  const lines = git(folder, 'log', '--date-order', '--format=%H%x00%an%x00%at%x00%s').trim()
  const commits = lines.split('\n').map((line) => line.split('\0'))
  const documents = readObjects(
    folder,
    commits.map(([sha]) => `${sha}:cruise-config.xml`),
  )
  return commits.map(([, author = '', seconds = '', subject = ''], place) => {
    const [, user, time] = /^user:(.*?)\|timestamp:(\d+)\|/.exec(subject) ?? []
    return {
      user: user ?? author,
      time: Number(time ?? Number(seconds) * 1_000),
      md5: md5(documents[place] ?? ''),
    }
  })
}

describe('the source of cairn import', { timeout: 120_000 }, () => {
  it('takes the branch and the time that it is given', async () => {
    const source = new Source()
    source.commit('Ana', documentWith('one'))
    git(source.folder, 'checkout', '-q', '-b', 'other')
    source.commit('Bob', documentWith('two'))
    source.commit('Cleo', documentWith('three'))
    const target = new Target()

    const since = new Date(1_600_005_000_000).toISOString()
    const { stdout } = await target.import(source.folder, '--branch', 'other', '--since', since)

    expect(stdout).toContain('1 left out: older than --since')
    expect(target.log('%an')).toEqual(['Cleo', 'Bob'])
  })

  it('reads a repository over HTTP, and shows no password', async () => {
    const service = await startService()
    await save(service, documentWith('one'))
    const target = new Target()

    const { code, stdout, stderr } = await run(['import', repositoryUrl(service.url)], {
      cwd: target.cwd,
    })

    expect(code).toBe(0)
    expect(target.log('%an %s')).toEqual(
      git(service.repository, 'log', '--format=%an %s').trim().split('\n'),
    )
    expect(stdout + stderr).not.toMatch(/correct( |%20)horse/)
  })

  it('refuses what it cannot do with one clear line', { tags: ['long'] }, async () => {
    const target = new Target()
    const source = new Source()
    source.commit('Ana', documentWith('one'))
    const program = start(['serve', '--port', '0', '--admin-password', 'a password'], {
      cwd: target.cwd,
    })
    await program.line(/^cairn ready (\S+)\n$/)
    const lineOf = async (...args: readonly string[]) =>
      (await run(args, { cwd: target.cwd })).stderr.trim().split('\n').at(-1)

    const served = await lineOf('import', source.folder, '--file', FILE)
    program.process.kill('SIGTERM')
    await program.ended()
    const elsewhere = ['--config-repo', join(tempDir(), 'r')]

    expect(served).toContain(`in use by process ${program.process.pid}`)
    expect(await lineOf('import', '/nowhere')).toContain('/nowhere')
    expect(await lineOf('import', source.folder, '--branch', 'none')).toContain('none')
    expect(await lineOf('import', source.folder, ...elsewhere)).toContain(
      'No commit has a valid config.xml: 1 is without it',
    )
    expect(await lineOf('import', source.folder, '--since', 'tomorrow')).toContain('is not a date')
    expect(await lineOf('import')).toContain('use import REPO')
  })

  it.skipIf(SHARED_DATA === null)(
    'brings in the 551 commits of a real server with their users, times and digests',
    { timeout: 300_000, tags: ['long'] },
    async () => {
      const [target, clone] = [new Target(), tempDir()]
      const bundle = `${SHARED_DATA}/real-config-history.bundle`
      git(clone, 'clone', '--quiet', '--branch=master', bundle, '.')

      const file = ['--file', 'cruise-config.xml']
      const { code, stdout } = await run(['import', bundle, ...file], { cwd: target.cwd })

      expect({ code, stdout }).toMatchObject({ stdout: expect.stringContaining('551 commits') })
      expect(await factsOf(target)).toEqual(recordedIn(clone))
      expect(target.complaints()).toBe('')
    },
  )
})
