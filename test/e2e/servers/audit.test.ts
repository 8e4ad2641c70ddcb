// @module-tag long
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../../src/core/service/audit.ts'
import { CLUSTER_UPGRADES } from '../../../src/cluster/cluster-schema.ts'
import { PostgresLog } from '../../../src/cluster/postgres-log.ts'
import { AuditLog } from '../../../src/state/audit-log.ts'
import { PostgresDriver } from '../../../src/state/postgres-driver.ts'
import { UPGRADES, upgrade } from '../../../src/state/upgrades.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { git, gitLine } from '../../support/git/git.ts'
import {
  documentOf,
  HistoryFolder,
  save as saveInHistory,
} from '../../support/history/history-folder.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { until } from '../../support/programs/until.ts'
import {
  type DatabaseServer,
  folderBeside,
  kill,
  serveOver,
} from '../../support/service/database-server.ts'
import { save } from '../../support/service/saving.ts'
import { currentOf, serveTwo } from '../../support/service/servers.ts'
import { ALL_ENTRIES } from '../../support/service/audit-reading.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

const TIMEOUT_MS = 30_000

async function entriesOf(server: Pick<DatabaseServer, 'fetch'>): Promise<readonly AuditEntry[]> {
  const answer = await server.fetch('/api/audit')
  return answer.status === 200 ? AuditBody.parse(await answer.json()).entries : []
}

/** How often the log says of each commit that it changed the configuration. */
function changesOf(entries: readonly AuditEntry[]): readonly string[] {
  return entries
    .filter(({ action }) => action === 'change-configuration')
    .map(({ target }) => target)
    .toReversed()
}

/** The entries of the call that has this answer. */
function callsIn(entries: readonly AuditEntry[], { headers }: Response): readonly AuditEntry[] {
  return entries.filter(({ request }) => request === headers.get('x-request-id'))
}

/** Makes the database refuse every entry except those of calls. */
const REFUSE_CALLS = `
CREATE FUNCTION refuse_calls() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'no calls'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON audit_entry FOR EACH ROW
  WHEN (NEW.json LIKE '%"request":%') EXECUTE FUNCTION refuse_calls()`

describe('the audit log of several servers', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it(
    'has the call of a save that it did not take at first, once, also after a restart',
    { timeout: 120_000, tags: ['long'] },
    async () => {
      const database = cluster.freshSchema()
      const first = await serveOver(database)
      const sql = postgres(database)
      await sql.unsafe(REFUSE_CALLS)
      const saved = await save(first, documentWith('one'))
      const problem = (await (await first.fetch('/health')).text()).includes('audit log')
      const without = await entriesOf(first)
      await kill(first)
      await sql`DROP TRIGGER refuse ON audit_entry`
      await sql.end()

      const again = await serveOver(database, first.folder)
      await until(async () => callsIn(await entriesOf(again), saved).length > 0, TIMEOUT_MS)
      const calls = callsIn(await entriesOf(again), saved)

      expect(saved.status).toBe(200)
      expect(problem).toBe(true)
      expect(callsIn(without, saved)).toEqual([])
      expect(calls).toEqual([
        expect.objectContaining({ action: 'save-configuration', user: 'admin', status: 200 }),
      ])
    },
  )

  it('says everything once, from whichever server, and outlives the machines', async () => {
    const database = cluster.freshSchema()
    const [first, second] = await serveTwo(database)
    await save(first, documentWith('one'))
    await save(second, documentWith('one', 'two'))
    const repository = join(second.folder, 'config-repo')
    await until(async () => gitLine(repository, 'status', '--porcelain') === '', TIMEOUT_MS)
    writeFileSync(join(repository, 'config.xml'), documentWith('by-git'))
    git(repository, 'commit', '-q', '-a', '-m', 'By git')
    await until(async () => (await currentOf(first)).includes('by-git'), TIMEOUT_MS)
    await second.fetch('/api/agents/nobody/enable', { method: 'POST' })
    const refused = await second.fetch('/api/agents', { as: 'eve:wrong' })
    const headers = { authorization: 'Bearer x' }
    const work = '/api/agents-protocol/nobody/work'
    await second.fetch(work, { method: 'POST', as: null, headers, body: '{"instance":"i"}' })

    const [seen, same] = [await entriesOf(first), await entriesOf(second)]
    await Promise.all([kill(first), kill(second)])
    const third = await serveOver(database, folderBeside(first))
    for (const { folder } of [first, second]) rmSync(folder, { recursive: true })
    await until(async () => (await entriesOf(third)).length > 0, TIMEOUT_MS)

    expect(refused.status).toBe(401)
    expect(same).toEqual(seen)
    expect(changesOf(seen)).toEqual(
      git(repositoryOf(third), 'rev-list', '--reverse', 'HEAD~3..HEAD').trim().split('\n'),
    )
    const actions = seen.map(({ action }) => action)
    expect(actions.filter((action) => action === 'save-configuration')).toHaveLength(2)
    expect(actions.filter((action) => action === 'enable-agent')).toHaveLength(1)
    expect(seen.filter(({ target }) => target === work)).toHaveLength(1)
    expect(seen).toContainEqual(expect.objectContaining({ status: 401, claimed: 'eve' }))
    expect((await entriesOf(third)).slice(-seen.length)).toEqual(seen)
  })

  it('says each save of a group, which is one entry of the log', async () => {
    const database = cluster.freshSchema()
    await using driver = new PostgresDriver(database)
    await upgrade(driver, UPGRADES)
    await upgrade(driver, CLUSTER_UPGRADES, 'cluster-version')
    const log = new PostgresLog(driver)
    await using folder = new HistoryFolder()
    const history = await folder.open({ revisionLog: log })
    await saveInHistory(history, documentOf('before'))
    const before = await log.head()

    const names = ['two', 'three', 'four']
    const saved = await Promise.all(
      names.map((name) => saveInHistory(history, documentOf(name), name)),
    )

    const commits = saved.map(({ revision }) => revision.commit)
    expect(await log.head()).toEqual({
      sequence: (before?.sequence ?? 0) + 1,
      commit: commits.at(-1),
    })
    const ofDriver = { read: driver.query, write: driver.query }
    const options = { maxSize: 40_000, clock: () => 5, log: () => undefined }
    await using audit = new AuditLog(ofDriver, options)
    const { entries } = await audit.read({ ...ALL_ENTRIES, limit: 3 })
    expect(entries.map(({ user, target }) => [user, target]).toReversed()).toEqual(
      names.map((name, n) => [name, commits[n]]),
    )
    expect(await log.findFaults()).toEqual([])
  })
})

function repositoryOf({ folder }: DatabaseServer): string {
  return join(folder, 'config-repo')
}
