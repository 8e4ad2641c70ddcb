// @module-tag long
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PostgresLog } from '../../../src/cluster/postgres-log.ts'
import { CLUSTER_UPGRADES } from '../../../src/cluster/cluster-schema.ts'
import { CommitSha } from '../../../src/core/revision.ts'
import { requireGit } from '../../../src/git/run-git.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'
import { LogCompaction } from '../../../src/history/log/log-compaction.ts'
import { addPacks, type PackStore, publishIn } from '../../../src/history/log/log-packs.ts'
import { PostgresDriver } from '../../../src/state/postgres-driver.ts'
import { UPGRADES, upgrade } from '../../../src/state/upgrades.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { fastImport } from '../../support/git/fast-import.ts'
import { git, gitLine } from '../../support/git/git.ts'
import { GitRepository } from '../../support/git/git-repository.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { folderBeside, kill, serveOver, stop } from '../../support/service/database-server.ts'
import { setLease } from '../../support/service/servers.ts'
import { save } from '../../support/service/saving.ts'

const LIMITS = { entries: 10, bytes: 1_000_000 }
const NOBODY_LISTENS = () => undefined
/** Bases of many megabytes take a slow machine long; an attempt that fails is made again with the next revision. */
const PATIENTLY = { interval: 500, timeout: 120_000 }

/** A log in a schema of its own. */
class OpenedLog implements AsyncDisposable {
  readonly #driver: PostgresDriver
  readonly log: PostgresLog

  private constructor(driver: PostgresDriver) {
    this.#driver = driver
    this.log = new PostgresLog(driver)
  }

  static async open(database: string): Promise<OpenedLog> {
    const driver = new PostgresDriver(database)
    await upgrade(driver, UPGRADES)
    await upgrade(driver, CLUSTER_UPGRADES, 'cluster-version')
    return new OpenedLog(driver)
  }

  async countRows(): Promise<{ entries: number; packs: number; parts: number }> {
    const count = async (table: string) => {
      const rows = await this.#driver.query(`SELECT COUNT(*) AS n FROM ${table}`)
      return Number(rows[0]?.['n'])
    }
    const [entries, packs] = [await count('log_entry'), await count('log_pack')]
    return { entries, packs, parts: await count('log_base_part') }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#driver[Symbol.asyncDispose]()
  }
}

/** An empty audit log: its entries do not matter here. */
const NOTHING_TO_SAY = async () => []

async function storeOf({ store, gitDir }: GitRepository): Promise<PackStore> {
  const path = process.env['PATH']
  return { gitDir, git: await requireGit(path), reader: await openObjectReader({ ...store, path }) }
}

/** Commits documents, and publishes each move. */
async function saveAll(
  repository: GitRepository,
  { log, from, count }: { log: PostgresLog; from: CommitSha | null; count: number },
): Promise<CommitSha[]> {
  const publish = publishIn(log, await storeOf(repository), NOTHING_TO_SAY)
  const commits: CommitSha[] = []
  for (let n = 0; n < count; n += 1) {
    const before = commits.at(-1) ?? from
    const commit = repository.commit('config.xml', documentWith(before ?? 'first'))
    expect(await publish({ from: before, to: commit })).toBe(true)
    commits.push(commit)
  }
  return commits
}

/** Fetches what a repository lacks, and gives what it then has of a commit. */
async function fetched(
  repository: GitRepository,
  { log, after, commit }: { log: PostgresLog; after: number; commit: CommitSha },
): Promise<string> {
  await addPacks(await storeOf(repository), log.packsAfter(after))
  repository.git('update-ref', 'refs/heads/main', commit)
  expect(repository.git('fsck', '--strict', '--no-dangling')).toBe('')
  return repository.git('log', '--format=%H')
}

describe('the log of revisions in a database', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('puts a base in place of its entries, from which new and old repositories catch up', async () => {
    using source = new GitRepository()
    using old = new GitRepository()
    using fresh = new GitRepository()
    await using opened = await OpenedLog.open(cluster.freshSchema())
    const { log } = opened
    const store = await storeOf(source)
    const first = await saveAll(source, { log, from: null, count: 6 })
    const there = first[2] ?? CommitSha.parse('')
    await fetched(old, { log, after: 0, commit: there })
    const more = await saveAll(source, { log, from: first.at(-1) ?? null, count: 8 })
    await using compaction = new LogCompaction({
      log,
      store,
      limits: LIMITS,
      report: NOBODY_LISTENS,
    })

    await compaction.look()
    const compacted = await opened.countRows()
    await compaction.look()
    const [head] = (await saveAll(source, { log, from: more.at(-1) ?? null, count: 1 })).slice(-1)
    if (head === undefined) throw new Error('nothing was saved')
    const known = await log.findNewest([there])

    expect(compacted).toMatchObject({ packs: 0, parts: 1 })
    expect(await log.head()).toEqual({ sequence: 15, commit: head })
    const history = source.git('log', '--format=%H')
    expect(await fetched(fresh, { log, after: 0, commit: head })).toBe(history)
    expect(await fetched(old, { log, after: known?.sequence ?? 0, commit: head })).toBe(history)
  })

  it('reads packs of one moment, whatever is put in their place meanwhile', async () => {
    using source = new GitRepository()
    using fresh = new GitRepository()
    await using opened = await OpenedLog.open(cluster.freshSchema())
    const { log } = opened
    const store = await storeOf(source)
    await saveAll(source, { log, from: null, count: 12 })
    const head = source.head()
    const compaction = new LogCompaction({ log, store, limits: LIMITS, report: NOBODY_LISTENS })
    const reading = log.packsAfter(0)
    const begun = await reading.next()
    await compaction.look()

    const packs = (async function* () {
      if (begun.done !== true) yield begun.value
      yield* reading
    })()
    await addPacks(await storeOf(fresh), packs)

    fresh.git('update-ref', 'refs/heads/main', head)
    expect(fresh.git('rev-list', '--count', 'main')).toBe('12')
    expect(await opened.countRows()).toMatchObject({ packs: 0 })
  })

  it('puts no base in force of which somebody else has dropped parts', async () => {
    using source = new GitRepository()
    const commit = source.commit('config.xml', documentWith('first'))
    await using opened = await OpenedLog.open(cluster.freshSchema())
    const { log } = opened
    const base = { sequence: 1, commit }
    const failing = (async function* () {
      yield Buffer.from('of another attempt')
      throw new Error('cut short')
    })()
    const pack = (async function* () {
      yield Buffer.alloc(9_000_000)
      await expect(log.rebase({ ...base, pack: failing })).rejects.toThrow('cut short')
      yield Buffer.from('the rest')
    })()

    const isInForce = await log.rebase({ ...base, pack })

    expect(isInForce).toBe(false)
    expect(await log.head()).toBeNull()
  })

  it('stays short, however many saves come', { timeout: 300_000 }, async () => {
    using source = new GitRepository()
    source.commit('config.xml', documentWith('first'))
    await fastImport(
      source.path,
      Array.from({ length: 3_000 }, (_, n) => documentWith(`p${n}`)),
    )
    const commits = source.git('rev-list', '--reverse', 'main').split('\n')
    await using opened = await OpenedLog.open(cluster.freshSchema())
    const { log } = opened
    const store = await storeOf(source)
    const limits = { entries: 400, bytes: 1_000_000_000 }
    await using compaction = new LogCompaction({ log, store, limits, report: NOBODY_LISTENS })
    let [from, most] = [CommitSha.parse(commits[0]), 0]
    await publishIn(log, store, NOTHING_TO_SAY)({ from: null, to: from })

    for (const [n, line] of commits.slice(1).entries()) {
      const to = CommitSha.parse(line)
      const pack = Buffer.from('of no matter here')
      expect(await log.append({ from, to, pack, audit: [] })).toBe(n + 2)
      from = to
      if (n % 64 !== 0) continue
      await compaction.look()
      const { entries, packs, parts } = await opened.countRows()
      most = Math.max(most, entries + packs + parts)
    }

    expect(await log.head()).toEqual({ sequence: 3_001, commit: from })
    expect(most).toBeGreaterThan(1_000)
    expect(most).toBeLessThan(2_200)
  })

  it(
    'has its old entries when a server is killed before the base is in force',
    { timeout: 300_000 },
    async () => {
      const database = cluster.freshSchema()
      const first = await serveOver(database)
      const repository = join(first.folder, 'config-repo')
      writeFileSync(join(repository, 'large.bin'), randomBytes(40_000_000))
      git(repository, 'add', 'large.bin')
      git(repository, 'commit', '-q', '-m', 'Add a large file')
      const head = gitLine(repository, 'rev-parse', 'HEAD')
      const sql = postgres(database)
      const count = async (table: string) => (await sql`SELECT 1 FROM ${sql(table)}`).length
      let saving: Promise<unknown> | null = null
      const isWaiting = async () => {
        // An attempt that failed is made again with the next revision, which waits for the lock too.
        saving ??= save(second, documentWith(`before-${Date.now()}`))
          .catch(() => null)
          .finally(() => (saving = null))
        const rows = await sql`SELECT 1 FROM pg_locks
        WHERE NOT granted AND relation = 'log_base'::regclass`
        return rows.length
      }
      await expect.poll(() => count('log_pack'), PATIENTLY).toBeGreaterThan(1)
      await stop(first)
      const lock = await sql.reserve()
      await lock`BEGIN`
      await lock`LOCK TABLE log_base IN SHARE MODE`

      const second = await serveOver(database, first.folder)
      await expect.poll(isWaiting, PATIENTLY).toBe(1)
      await kill(second)
      const written = await count('log_base_part')
      await lock`ROLLBACK`
      lock.release()
      const before = await sql`SELECT sequence FROM log_base`
      await setLease(database, '0')
      const third = await serveOver(database, folderBeside(first))

      expect(written).toBeGreaterThan(5)
      expect(before.map(({ sequence }) => Number(sequence))).toEqual([1])
      const whole = git(join(third.folder, 'config-repo'), 'log', '--format=%H', '--', 'large.bin')
      expect(whole.trim()).toBe(head)
      let saves = 0
      const isReplaced = async () => {
        await save(third, documentWith(`after-${(saves += 1)}`))
        return (await sql`SELECT 1 FROM log_base WHERE sequence > 1`).length
      }
      await expect.poll(isReplaced, PATIENTLY).toBe(1)
      const [base] = await sql`SELECT parts FROM log_base`
      expect(await count('log_base_part')).toBe(Number(base?.['parts']))
      expect(await count('log_pack')).toBeLessThanOrEqual(saves)
      await sql.end()
    },
  )
})
