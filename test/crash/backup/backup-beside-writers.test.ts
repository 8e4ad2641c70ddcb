// @module-tag long
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeBackup } from '../../../src/operations/backup/make-backup.ts'
import { restoreBackup } from '../../../src/operations/backup/restore-backup.ts'
import { git, PLAIN_GIT } from '../../support/git/git.ts'
import { LoadedService } from '../../support/service/loaded-service.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'
import { casesOf } from '../../support/programs/all-cases.ts'

/** On two histories, since each round makes its own longer. The first becomes so long that it is repacked meanwhile. */
const LOADS = [
  casesOf({ all: { rounds: 14, saves: 50 }, mostly: { rounds: 5, saves: 100 } }),
  casesOf({ all: { rounds: 6, saves: 50 }, mostly: { rounds: 2, saves: 50 } }),
]
/** A commit of git's own is read strictly by each check, which takes long when there are many. */
const COMMANDS_BETWEEN_COMMITS = 20
/** So that a slow machine has no longer history than a quick one. */
const COMMITS_A_ROUND = 5
const REST_MS = 100
const COMMIT = ['commit', '--allow-empty', '--quiet', '-m', 'native']
const PROGRAMS = { version: '1.0.0', programPath: process.env['PATH'] }
/** On a disk: in memory, commands that never pause would make a history without end. */
const onDisk = () => tempDir('/var/tmp')
const run = promisify(execFile)

function placesOf(folder: string) {
  const stateDir = join(folder, 'state')
  return {
    repository: join(folder, 'config-repo'),
    fileName: 'config.xml',
    stateDir,
    usersFile: join(stateDir, 'users.htpasswd'),
    keysFile: join(stateDir, 'secret.keys'),
    artifactsDir: join(stateDir, 'artifacts'),
  }
}

/** The digests that the history of a restored folder has. */
function digestsIn(folder: string): string[] {
  const format = '--format=%(trailers:key=Config-MD5,valueonly)'
  return git(join(folder, 'config-repo'), 'log', format).split('\n')
}

/**
 * Lets git pack refs, and sometimes commit to the branch that is served, until it is stopped. It
 * commits at most as often as is said then.
 */
function keepCommanding(repository: string, commitsAtMost: () => number): () => Promise<void> {
  const stop = new AbortController()
  // A commit that finds the branch moved by a save fails, as for everybody.
  const commands = async () => {
    let commits = 0
    for (let n = 0; !stop.signal.aborted; n += 1) {
      const isCommit = n % COMMANDS_BETWEEN_COMMITS === 0 && commits < commitsAtMost()
      if (isCommit) commits += 1
      const args = isCommit ? COMMIT : ['pack-refs', '--all']
      await Promise.allSettled([run('git', args, { cwd: repository, env: PLAIN_GIT })])
    }
  }
  const work = commands()
  return async () => {
    stop.abort()
    await work
  }
}

describe('a backup beside saves and git commands that never pause', () => {
  it.for(LOADS)(
    'is made every time, is restored whole, and leaves nothing in the repository ($rounds times)',
    { timeout: 600_000 },
    async ({ rounds, saves }) => {
      const [served, target] = [onDisk(), onDisk()]
      const made: { file: string; before: string | undefined; problems: readonly string[] }[] = []
      const savesAtMost = () => (made.length + 1) * saves
      const load = await LoadedService.start(served, 'save', { savesAtMost, restMs: REST_MS })
      const commitsAtMost = () => (made.length + 1) * COMMITS_A_ROUND
      const stop = keepCommanding(join(served, 'config-repo'), commitsAtMost)
      onTestFinished(stop)
      await until(() => load.saved.length > 0)
      const [from, options] = [placesOf(served), { withArtifacts: false, clock: Date.now }]
      for (let round = 0; round < rounds; round += 1) {
        const [file, before] = [join(target, `${round}.tar.gz`), load.saved.at(-1)]
        const { problems } = await makeBackup(file, { places: from, ...options, ...PROGRAMS })
        made.push({ file, before, problems })
      }
      await stop()
      await load.kill()

      for (const { file, before, problems } of made) {
        const folder = onDisk()
        const restored = await restoreBackup(file, { places: placesOf(folder), ...PROGRAMS })
        expect([problems, restored.problems]).toEqual([[], []])
        expect(digestsIn(folder)).toContain(before)
        expect(git(join(folder, 'config-repo'), 'status', '--porcelain')).toBe('')
      }
      const refs = git(join(served, 'config-repo'), 'for-each-ref', '--format=%(refname)')
      expect(refs).toBe('refs/heads/main\n')
    },
  )
})
