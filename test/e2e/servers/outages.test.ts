// @module-tag long
import { setTimeout as wait } from 'node:timers/promises'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { freePort } from '../../support/programs/free-port.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { run, start } from '../../support/programs/start.ts'
import { until } from '../../support/programs/until.ts'
import {
  type DatabaseServer,
  folderBeside,
  serveFlags,
  serveOver,
} from '../../support/service/database-server.ts'
import { save } from '../../support/service/saving.ts'
import { callerOf } from '../../support/service/service.ts'
import {
  currentOf,
  pausedBy,
  pausePipeline,
  serveTwo,
  takeLease,
} from '../../support/service/servers.ts'
import { casesOf } from '../../support/programs/all-cases.ts'

/** In milliseconds. */
const TIMEOUT_MS = 30_000
/** About as long as a lease lasts, so that it is over when the database is back. */
const AWAY_MS = 4_000
const LOOKED_MS = 1_500
const SOON = { timeout: 10_000 }

/** Has a database refuse whatever would change it, as one that another one was promoted for. */
async function setReadOnly(database: string, value: 'on' | 'off'): Promise<void> {
  const sql = postgres(database, { max: 1 })
  await sql`SET default_transaction_read_only = off`
  await sql.unsafe(`ALTER SYSTEM SET default_transaction_read_only = ${value}`)
  await sql`SELECT pg_reload_conf()`
  await sql.end()
}

/** Has the stopped server of two say that it does not reach the other one. */
async function sayUnreached(database: string, address: string): Promise<void> {
  const sql = postgres(database, { max: 1 })
  await sql`UPDATE server SET reaches = '[]', seen = clock_timestamp() WHERE address <> ${address}`
  await sql.end()
}

async function readinessOf(server: Pick<DatabaseServer, 'fetch'>): Promise<string> {
  const answer = await server.fetch('/health/ready')
  return `${answer.status} ${await answer.text()}`
}

describe('servers whose database', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeEach(async () => {
    cluster = await PostgresCluster.start()
  })

  afterEach(() => cluster[Symbol.asyncDispose]())

  it('is read-only wait until it is not, say so, and read meanwhile', async () => {
    const database = cluster.freshSchema()
    const servers = await serveTwo(database)
    await save(servers[0], documentWith('app'))

    await setReadOnly(database, 'on')
    for (const server of servers) {
      expect((await save(server, documentWith('app', 'two'))).status).toBe(503)
      expect(await readinessOf(server)).toMatch(/^503 .*The state store cannot be written/)
      await expect
        .poll(async () => (await server.fetch('/health')).text(), SOON)
        .toContain('The database refuses what it is asked')
    }
    // Longer than the lease lasts, so that everybody tries to take it.
    await until(async () => (await pausePipeline(servers[1], 'app', 'none')) === 503, TIMEOUT_MS)
    const late = await serveOver(database, folderBeside(servers[0]))
    const read = await currentOf(late)
    await wait(AWAY_MS)
    await setReadOnly(database, 'off')

    expect(read).toContain('app')
    for (const server of [...servers, late]) {
      await until(async () => (await pausePipeline(server, 'app', 'again')) === 200, TIMEOUT_MS)
      expect(await readinessOf(server)).toMatch(/^200 /)
      expect(server.program.process.exitCode).toBeNull()
    }
  })

  it('is read-only keep a leader of whom another server said long ago that it is not reached', async () => {
    const database = cluster.freshSchema()
    const servers = await serveTwo(database)
    await save(servers[0], documentWith('app'))
    const leader = servers[1].program
    servers[0].program.process.kill('SIGSTOP')
    await takeLease(database)
    await until(() => leader.stderr.includes('This server is the leader now'), TIMEOUT_MS)

    await sayUnreached(database, servers[1].url)
    // The leader looks twice a second, and leads on for as long as it is surely the leader.
    await wait(LOOKED_MS)
    await setReadOnly(database, 'on')
    await wait(AWAY_MS + LOOKED_MS)
    await setReadOnly(database, 'off')
    servers[0].program.process.kill('SIGCONT')

    await until(async () => (await pausePipeline(servers[1], 'app', 'again')) === 200, TIMEOUT_MS)
    expect(leader.process.exitCode).toBeNull()
  })

  it('is started again go on, and the leader stays the leader', async () => {
    const database = cluster.freshSchema()
    const servers = await serveTwo(database)
    await save(servers[0], documentWith('app'))
    for (const _ of casesOf({ all: [1, 2, 3], mostly: [1, 2] })) {
      await cluster.stop()
      await wait(AWAY_MS)
      expect(await currentOf(servers[0])).toContain('app')
      await cluster.startAgain()
      await until(async () => (await pausePipeline(servers[1], 'app', 'back')) === 200, TIMEOUT_MS)
    }

    const health = await (await servers[1].fetch('/health')).json()

    expect(servers.map(({ program }) => program.process.exitCode)).toEqual([null, null])
    expect(health).toMatchObject({ servers: { holder: servers[0].url } })
  })

  it('is away at their start wait for it', async () => {
    const database = cluster.freshSchema()
    const port = await freePort()
    const first = await serveOver(database)
    const second = await serveOver(database, folderBeside(first), { port })
    await save(first, documentWith('app'))
    await pausePipeline(first, 'app', 'before')
    for (const { program } of [first, second]) {
      program.process.kill('SIGKILL')
      await program.ended()
    }
    await cluster.stop()

    const program = start(serveFlags(database, second.folder, port))
    await until(() => program.stderr.includes('This server starts when the database is back'))
    const ask = (path: string) => fetch(`${second.url}${path}`, { redirect: 'manual' })
    const waiting = await Promise.all(['/health/live', '/health/ready', '/'].map(ask))
    await cluster.startAgain()
    const url = await program.line(/^cairn ready (\S+)\n$/)

    expect(waiting.map(({ status }) => status)).toEqual([200, 503, 503])
    expect(await waiting[1]?.json()).toMatchObject({ status: 'unavailable' })
    expect(waiting[2]?.headers.get('retry-after')).toBe('5')
    expect((await ask('/health/ready')).status).toBe(200)
    expect(await pausedBy({ fetch: callerOf(url) }, 'app')).toMatchObject({ pausedCause: 'before' })
  })

  it('cannot be used as it is set up are refused in one line', async () => {
    const database = cluster.freshSchema()
    const sql = postgres(database, { max: 1 })
    const [{ schema } = { schema: '' }] = await sql`SELECT current_schema() AS schema`
    await sql.unsafe('CREATE ROLE stranger LOGIN')
    await sql.unsafe('CREATE ROLE reader LOGIN')
    await sql.unsafe(`GRANT USAGE ON SCHEMA ${schema} TO reader`)
    await sql.unsafe('CREATE ROLE strict LOGIN')
    await sql.unsafe(`GRANT ALL ON SCHEMA ${schema} TO strict`)
    await sql.unsafe(`ALTER ROLE strict SET default_transaction_isolation = 'serializable'`)
    await sql.end()
    const as = (role: string) => database.replace('cairn@', `${role}@`)

    const [stranger, reader, strict] = await Promise.all(
      ['stranger', 'reader', 'strict'].map((role) => run(serveFlags(as(role), tempDir()))),
    )

    expect(stranger).toMatchObject({ code: 1, stderr: oneLineWith('no schema has been selected') })
    expect(reader).toMatchObject({ code: 1, stderr: oneLineWith('permission denied for schema') })
    expect(strict).toMatchObject({
      code: 1,
      stderr: oneLineWith('default_transaction_isolation .* is "serializable"'),
    })
  })
})

function oneLineWith(text: string): unknown {
  return expect.stringMatching(new RegExp(`^cairn: [^\n]*${text}[^\n]*\n$`))
}
