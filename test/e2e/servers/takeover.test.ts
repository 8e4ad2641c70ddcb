import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import type { Program } from '../../support/programs/program.ts'
import { start } from '../../support/programs/start.ts'
import { until } from '../../support/programs/until.ts'
import {
  type DatabaseServer,
  folderBeside,
  kill,
  serveFlags,
  serveOver,
} from '../../support/service/database-server.ts'
import { save } from '../../support/service/saving.ts'
import { callerOf } from '../../support/service/service.ts'

/** In milliseconds. */
const TAKEN_OVER_WITHIN = 10_000

const READY = /^cairn ready (\S+)\n$/

/** Starts a server that waits for its turn. */
async function waitOver(database: string, folder: string): Promise<Program> {
  const program = start(serveFlags(database, folder))
  await until(() => program.stderr.includes('This server waits, and takes over'))
  return program
}

async function serving(program: Program): Promise<Pick<DatabaseServer, 'fetch' | 'program'>> {
  return { program, fetch: callerOf(await program.line(READY)) }
}

async function currentOf(server: Pick<DatabaseServer, 'fetch'>): Promise<string> {
  return (await server.fetch('/api/admin/config.xml')).text()
}

describe('servers that wait for their turn', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('take over one after the other, with everything that was acknowledged', async () => {
    const database = cluster.freshSchema()
    const first = await serveOver(database)
    await save(first, documentWith('one'))
    const waiting = [
      await waitOver(database, folderBeside(first)),
      await waitOver(database, folderBeside(first)),
    ]

    await kill(first)
    const started = performance.now()
    const second = await serving(await Promise.any(waiting.map(whenReady)))
    const took = performance.now() - started
    const inBetween = await currentOf(second)
    const saved = await save(second, documentWith('two'))
    second.program.process.kill('SIGKILL')
    const [last] = waiting.filter((program) => program !== second.program)
    const third = await serving(await whenReady(last ?? second.program))

    expect(took).toBeLessThan(TAKEN_OVER_WITHIN)
    expect(inBetween).toContain('one')
    expect(saved.status).toBe(200)
    expect(await currentOf(third)).toContain('two')
  })

  it('take over from one that hangs, which can write nothing when it goes on', async () => {
    const database = cluster.freshSchema()
    const first = await serveOver(database)
    await save(first, documentWith('one'))
    const waiting = await waitOver(database, folderBeside(first))

    first.program.process.kill('SIGSTOP')
    const second = await serving(await whenReady(waiting))
    const late = save(first, documentWith('late')).then(
      ({ status }) => status,
      () => 'closed',
    )
    first.program.process.kill('SIGCONT')
    const ended = await first.program.ended()

    expect([503, 'closed']).toContain(await late)
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('cairn: another server has taken over the database\n')
    expect(await currentOf(second)).toContain('one')
    expect((await save(second, documentWith('two'))).status).toBe(200)
  })

  it('end as they are told to while they wait', async () => {
    const database = cluster.freshSchema()
    const first = await serveOver(database)
    const waiting = await waitOver(database, folderBeside(first))

    waiting.process.kill('SIGTERM')

    expect(await waiting.ended()).toMatchObject({ code: 0, stdout: '' })
  })

  it('make the tables of a new database once, when they start at once', async () => {
    const other = await serveOver(cluster.freshSchema())
    await kill(other)
    const database = cluster.freshSchema()
    // With the same files, so that one that comes late is not refused.
    const programs = [1, 2, 3].map(() => start(serveFlags(database, folderBeside(other))))

    await Promise.any(programs.map(whenReady))
    await until(
      () => programs.filter(({ stderr }) => stderr.includes('This server waits')).length === 2,
    )

    expect(programs.filter(({ stdout }) => READY.test(stdout))).toHaveLength(1)
  })
})

async function whenReady(program: Program): Promise<Program> {
  await program.line(READY)
  return program
}
