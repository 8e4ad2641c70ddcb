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
/** A commit of git's own is read strictly by each check, which takes long when there are many. */
const COMMANDS_BETWEEN_COMMITS = 20
const COMMIT = ['commit', '--allow-empty', '--quiet', '-m', 'native']
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

/** Saves, lets git move a branch, and sometimes commit to the one that is served, until it is stopped. */
function keepWriting(service: TestService, acknowledged: string[]): () => Promise<void> {
  const stop = new AbortController()
  const saves = async () => {
    for (let n = 0; !stop.signal.aborted; n += 1) {
      const answer = await save(service, documentWith(`save-${n}`))
      if (answer.status === 200) acknowledged.push(answer.headers.get(DIGEST) ?? '')
    }
  }
  // A commit that finds the branch moved by a save fails, as for everybody.
  const commands = async () => {
    const options = { cwd: service.repository, env: PLAIN_GIT }
    for (let n = 0; !stop.signal.aborted; n += 1) {
      const isCommit = n % COMMANDS_BETWEEN_COMMITS === 0
      const args = isCommit ? COMMIT : ['branch', '--force', 'moving', 'HEAD']
      await Promise.allSettled([run('git', args, options)])
    }
  }
  const work = [saves(), commands()]
  return async () => {
    stop.abort()
    await Promise.all(work)
  }
}

describe('a backup beside saves and git commands that never pause', () => {
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
      const made: { file: string; before: string | undefined; problems: readonly string[] }[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const [file, before] = [join(target, `${round}.tar.gz`), acknowledged.at(-1)]
        const { problems } = await makeBackup(file, { places: from, ...options, ...PROGRAMS })
        made.push({ file, before, problems })
      }
      await stop()

      for (const { file, before, problems } of made) {
        const folder = tempDir()
        const restored = await restoreBackup(file, { places: placesOf(folder), ...PROGRAMS })
        expect([problems, restored.problems]).toEqual([[], []])
        expect(digestsIn(folder)).toContain(before)
        expect(git(join(folder, 'config-repo'), 'status', '--porcelain')).toBe('')
      }
      const refs = git(service.repository, 'for-each-ref', '--format=%(refname)')
      expect(refs).toBe('refs/heads/main\nrefs/heads/moving\n')
    },
  )
})
