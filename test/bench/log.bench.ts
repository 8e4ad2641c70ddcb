import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import fs from 'node:fs/promises'
import { join } from 'node:path'
import { PostgresLog } from '../../src/cluster/postgres-log.ts'
import { CommitSha } from '../../src/core/revision.ts'
import { openObjectReader } from '../../src/git/readers/open-object-reader.ts'
import { requireGit } from '../../src/git/run-git.ts'
import { LogCompaction } from '../../src/history/log/log-compaction.ts'
import { PostgresDriver } from '../../src/state/postgres-driver.ts'
import { git } from '../support/git/git.ts'
import { PostgresCluster } from '../support/programs/postgres-cluster.ts'
import type { BenchCase, BenchRun } from './case.ts'
import { historyOf } from './histories.ts'
import { MeasuredServer } from './servers.ts'
import { type Places, shareFiles } from './shared-files.ts'

export const cases: readonly BenchCase[] = [
  {
    name: 'log: start of a new server, 100,000 revisions in a base and 1,000 entries',
    must: { atMost: 60, unit: 's' },
    measure: startAnew,
  },
  {
    name: 'log: start of a server that has missed 10,000 saves',
    must: { atMost: 20, unit: 's' },
    measure: catchUp,
  },
]

async function startAnew(run: BenchRun) {
  const { places } = await historyOf(run.quick ? 2_000 : 100_000, 20_000)
  await using cluster = await PostgresCluster.start()
  const database = cluster.freshSchema()
  const first = placesIn(run, 'first')
  cpSync(places.repository, first.repository, { recursive: true })
  git(first.repository, 'reset', '-q', '--hard', 'HEAD~1000')
  const seeding = await secondsToStart(database, first)
  await makeBase(database, first.repository)
  await publishRest(database, { from: first.repository, to: places.repository })
  const next = placesIn(run, 'next')
  shareFiles(first, next)
  const value = await secondsToStart(database, next)
  return { value, facts: { 'of the first one, s': seeding } }
}

/** Puts one pack in place of what the log has, as the leader does. */
async function makeBase(database: string, repository: string): Promise<void> {
  await using driver = new PostgresDriver(database)
  const path = process.env['PATH']
  const gitDir = join(repository, '.git')
  const reader = await openObjectReader({ fs, gitDir, path })
  const packs = { gitDir, git: await requireGit(path), reader }
  const log = new PostgresLog(driver)
  const limits = { entries: 0, bytes: 0 }
  await new LogCompaction({ log, store: packs, limits, report: () => undefined }).look()
  if ((await log.weigh())?.baseBytes === 0) throw new Error('the log has no base')
}

async function catchUp(run: BenchRun) {
  const saves = run.quick ? 200 : 10_000
  const { places } = await historyOf(saves, 20_000)
  await using cluster = await PostgresCluster.start()
  const database = cluster.freshSchema()
  const first = placesIn(run, 'behind')
  cpSync(places.repository, first.repository, { recursive: true })
  git(
    first.repository,
    'reset',
    '-q',
    '--hard',
    git(first.repository, 'rev-list', '--max-parents=0', 'HEAD').trim(),
  )
  git(first.repository, 'reflog', 'expire', '--expire=now', '--all')
  git(first.repository, 'gc', '-q', '--prune=now')
  const upToDate = await secondsToStart(database, first)
  await publishRest(database, { from: first.repository, to: places.repository })
  const value = await secondsToStart(database, first)
  return { value, facts: { 'up to date, s': upToDate, saves } }
}

/** Appends the commits that one repository has beyond another as saves of another server. */
async function publishRest(
  database: string,
  { from, to: repository }: { readonly from: string; readonly to: string },
): Promise<void> {
  await using driver = new PostgresDriver(database)
  const log = new PostgresLog(driver)
  let before = CommitSha.parse(git(from, 'rev-parse', 'HEAD').trim())
  for (const line of git(repository, 'rev-list', '--reverse', `${before}..HEAD`)
    .trim()
    .split('\n')) {
    const to = CommitSha.parse(line)
    const args = ['pack-objects', '--revs', '--thin', '--delta-base-offset', '--stdout', '-q']
    const { stdout: pack } = spawnSync('git', args, {
      cwd: repository,
      input: `${to}\n^${before}\n`,
    })
    const appended = await log.append({ from: before, to, pack, audit: [] })
    if (appended === null) throw new Error(`${to} was not appended`)
    before = to
  }
}

async function secondsToStart(database: string, places: Places): Promise<number> {
  await using server = await MeasuredServer.cairn(places, ['--state', database])
  return server.startTime / 1_000
}

function placesIn({ folder }: BenchRun, name: string): Places {
  return { repository: join(folder, name, 'config-repo'), state: join(folder, name, 'state') }
}
