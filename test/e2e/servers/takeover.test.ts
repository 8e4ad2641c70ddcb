// @module-tag long
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { TcpProxy } from '../../support/programs/tcp-proxy.ts'
import { until } from '../../support/programs/until.ts'
import {
  type DatabaseServer,
  folderBeside,
  kill,
  serveOver,
  stop,
} from '../../support/service/database-server.ts'
import {
  currentOf,
  pausePipeline,
  pausedBy,
  setLease,
  takeLease,
} from '../../support/service/servers.ts'
import { save } from '../../support/service/saving.ts'

type Caller = Pick<DatabaseServer, 'fetch'>

/** In milliseconds. */
const TAKEOVER_TIMEOUT_MS = 10_000
const TIMEOUT_MS = 30_000

/** Waits until there is a leader, and returns the milliseconds. */
async function takenOver(server: Caller, pauseCause: string): Promise<number> {
  const started = performance.now()
  await until(async () => (await pausePipeline(server, 'app', pauseCause)) === 200, TIMEOUT_MS)
  return performance.now() - started
}

describe('a take-over among several servers', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('are taken over twice, with everything that was acknowledged and nothing that came late', async () => {
    const database = cluster.freshSchema()
    const first = await serveOver(database)
    await save(first, documentWith('app'))
    await pausePipeline(first, 'app', 'one')
    const second = await serveOver(database, folderBeside(first))

    await kill(first)
    const took = await takenOver(second, 'one')
    const third = await serveOver(database, folderBeside(first))
    expect((await save(third, documentWith('app', 'two'))).status).toBe(200)
    await until(async () => (await currentOf(second)).includes('two'))
    await takeLease(database)
    const late = await pausePipeline(second, 'app', 'late').catch(() => 'closed')
    const ended = await second.program.ended()
    await until(
      async () => (await third.fetch('/api/pipelines/app/status')).status === 200,
      TIMEOUT_MS,
    )

    expect(took).toBeLessThan(TAKEOVER_TIMEOUT_MS)
    expect([503, 'closed']).toContain(late)
    expect(ended.stderr).toContain('cairn: another server has taken over the database\n')
    expect(await pausedBy(third, 'app')).toMatchObject({ paused: true, pausedCause: 'one' })
    expect(await currentOf(third)).toContain('two')
  })

  it('are lost by one that hangs, which can change no state when it goes on', async () => {
    const database = cluster.freshSchema()
    const first = await serveOver(database)
    await save(first, documentWith('app'))
    const second = await serveOver(database, folderBeside(first))

    first.program.process.kill('SIGSTOP')
    await setLease(database, '0')
    await takenOver(second, 'early')
    const late = pausePipeline(first, 'app', 'late').catch(() => 'closed')
    first.program.process.kill('SIGCONT')
    const ended = await first.program.ended()

    expect([503, 'closed']).toContain(await late)
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('cairn: another server has taken over the database\n')
    expect(await pausedBy(second, 'app')).toMatchObject({ pausedCause: 'early' })
    expect((await save(second, documentWith('app', 'two'))).status).toBe(200)
  })

  it('are lost by one that hears nothing of the database, which tells no state that it remembers', async () => {
    const database = cluster.freshSchema()
    await using line = await TcpProxy.open(database)
    const first = await serveOver(line.through(database), tempDir())
    await save(first, documentWith('app'))
    const agent = new CallingAgent(first)
    await agent.register()
    const second = await serveOver(database, folderBeside(first))
    const before = await first.fetch('/api/agents')

    line.deafen()
    await takenOver(second, 'early')
    const enable = `/api/agents/${agent.uuid}/enable`
    await until(
      async () => (await second.fetch(enable, { method: 'POST' })).status === 200,
      TIMEOUT_MS,
    )
    const [listed, page] = await Promise.all(['/api/agents', '/agents'].map((p) => first.fetch(p)))
    const servers = await (await first.fetch('/servers')).text()
    const read = await currentOf(first)
    line.heal()
    const ended = await first.program.ended()

    expect(await before.text()).toContain('Pending')
    expect(listed?.status).toBe(503)
    expect(listed?.headers.get('retry-after')).toBe('1')
    expect(await listed?.text()).toContain('No server runs builds at the moment')
    expect(servers).toContain('No server runs builds at the moment.')
    expect(servers).not.toContain('Builds and polls')
    expect(page?.status).toBe(503)
    expect(await page?.text()).not.toContain('Pending')
    expect(read).toContain('app')
    expect(ended.stderr).toContain('cairn: another server has taken over the database\n')
  })

  it('are given up at a stop, and a server without them stops as it is told to', async () => {
    const database = cluster.freshSchema()
    const first = await serveOver(database)
    await save(first, documentWith('app'))
    const [second, third] = await Promise.all([
      serveOver(database, folderBeside(first)),
      serveOver(database, folderBeside(first)),
    ])

    expect((await stop(third)).code).toBe(0)
    expect((await stop(first)).code).toBe(0)

    await takenOver(second, 'release')
    expect(await pausedBy(second, 'app')).toMatchObject({ pausedCause: 'release' })
  })

  it('are those of one server when several make a new database at once', async () => {
    const other = await serveOver(cluster.freshSchema())
    await kill(other)
    const database = cluster.freshSchema()
    // With the same files, so that one that comes late is not refused.
    const folders = [1, 2, 3].map(() => folderBeside(other))

    const servers = await Promise.all(folders.map((folder) => serveOver(database, folder)))

    const sql = postgres(database)
    const leases = await sql`SELECT epoch FROM lease`
    await sql.end()
    expect(leases).toMatchObject([{ epoch: '1' }])
    expect(new Set(await Promise.all(servers.map(currentOf))).size).toBe(1)
  })
})
