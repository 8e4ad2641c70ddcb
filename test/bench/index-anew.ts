import { spawnSync } from 'node:child_process'
import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { inspectAsIs } from '../../src/configuration/current/validate-only.ts'
import { CommitSha } from '../../src/core/revision.ts'
import { openObjectReader } from '../../src/git/readers/open-object-reader.ts'
import { IndexKeeper, NO_INDEX_STORE } from '../../src/history/index/index-keeper.ts'
import { git } from '../support/git/git.ts'
import type { Measured } from './case.ts'
import { interleaved } from './measure.ts'

/** Reads the index of a repository anew, against git, which prints what is read for that. */
export async function readIndexAnew(repository: string, rounds: number): Promise<Measured> {
  const head = CommitSha.parse(git(repository, 'rev-parse', 'HEAD').trim())
  const gitDir = join(repository, '.git')
  await using reader = await openObjectReader({ fs: nodeFs, gitDir, path: process.env['PATH'] })
  const context = { reader, fileName: 'config.xml', inspect: inspectAsIs, serverEdition: 'none' }
  const costs = await interleaved(
    {
      ours: () => new IndexKeeper(NO_INDEX_STORE, context).moveTo(head),
      git: () =>
        spawnSync('git', ['log', '--format=%H%n%B'], { cwd: repository, maxBuffer: Infinity }),
    },
    { rounds, times: 1 },
  )
  const [ours, theirs] = [costs.get('ours'), costs.get('git')]
  const facts = { 'wall, ms': ours?.wall ?? NaN, 'git, ms': theirs?.wall ?? NaN }
  return { value: facts['wall, ms'] / facts['git, ms'], facts }
}
