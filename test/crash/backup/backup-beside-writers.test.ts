import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeBackup } from '../../../src/services/backup/make-backup.ts'
import { restoreBackup } from '../../../src/services/backup/restore-backup.ts'
import { documentWith } from '../../support/documents.ts'
import { git, PLAIN_GIT } from '../../support/git.ts'
import { DIGEST } from '../../support/saved-digest.ts'
import { save } from '../../support/saving.ts'
import { startService, type TestService } from '../../support/service.ts'
import { tempDir } from '../../support/temp-folder.ts'
import { until } from '../../support/until.ts'

const ROUNDS = 20
const PROGRAMS = { version: '1.0.0', programPath: process.env['PATH'] }
const run = promisify(execFile)

function placesOf(folder: string) {
  const stateDir = join(folder, 'state')
  const usersFile = join(stateDir, 'users.htpasswd')
  return { repository: join(folder, 'config-repo'), fileName: 'config.xml', stateDir, usersFile }
}

/** The digests that the history of a restored folder has. */
function digestsIn(folder: string): string[] {
  const format = '--format=%(trailers:key=Config-MD5,valueonly)'
  return git(join(folder, 'config-repo'), 'log', format).split('\n')
}

/** Saves, and lets git commit to the branch that is served, until it is stopped. */
function keepWriting(service: TestService, acknowledged: string[]): () => Promise<void> {
  const commit = ['commit', '--allow-empty', '--quiet', '-m', 'native']
  const stop = new AbortController()
  const saves = async () => {
    for (let n = 0; !stop.signal.aborted; n += 1) {
      const answer = await save(service, documentWith(`save-${n}`))
      if (answer.status === 200) acknowledged.push(answer.headers.get(DIGEST) ?? '')
    }
  }
  // A commit that finds the branch moved by a save fails, and a save may find no pause.
  const commits = async () => {
    const options = { cwd: service.repository, env: PLAIN_GIT }
    while (!stop.signal.aborted) await Promise.allSettled([run('git', commit, options)])
  }
  const work = [saves(), commits()]
  return async () => {
    stop.abort()
    await Promise.all(work)
  }
}

describe('a backup beside saves and git commits that never pause', () => {
  it(
    'is made every time, is restored whole, and leaves nothing in the repository',
    { timeout: 600_000 },
    async () => {
      const service = await startService()
      const [target, acknowledged]: [string, string[]] = [tempDir(), []]
      const stop = keepWriting(service, acknowledged)
      onTestFinished(stop)
      await until(() => acknowledged.length > 0)
      const [from, options] = [placesOf(service.folder), { withArtifacts: false, clock: Date.now }]
      for (let round = 0; round < ROUNDS; round += 1) {
        const [file, folder] = [join(target, `${round}.tar.gz`), tempDir()]
        const before = acknowledged.at(-1)

        const made = await makeBackup(file, { places: from, ...options, ...PROGRAMS })
        const restored = await restoreBackup(file, { places: placesOf(folder), ...PROGRAMS })

        expect([made.problems, restored.problems]).toEqual([[], []])
        expect(digestsIn(folder)).toContain(before)
        expect(git(join(folder, 'config-repo'), 'status', '--porcelain')).toBe('')
      }
      await stop()

      const refs = git(service.repository, 'for-each-ref', '--format=%(refname)')
      expect(refs).toBe('refs/heads/main\n')
    },
  )
})
