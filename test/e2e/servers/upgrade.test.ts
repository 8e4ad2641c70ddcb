// @module-tag long
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { otherProgram } from '../../support/programs/other-program.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { run } from '../../support/programs/start.ts'
import { until } from '../../support/programs/until.ts'
import { folderBeside, serveFlags, serveOver, stop } from '../../support/service/database-server.ts'
import { save } from '../../support/service/saving.ts'
import { currentOf, pausedBy, pausePipeline } from '../../support/service/servers.ts'

const TIMEOUT_MS = 30_000

/** A possible next version of the program: with one more table beside those of the state. */
const nextVersion = () =>
  otherProgram(
    /(\bCLUSTER_UPGRADES ?= ?\[[^\]]*)\]/,
    "$1, async (query) => void (await query('CREATE TABLE later (n BIGINT)'))]",
  )

describe('servers of two versions', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('serve beside each other while one after the other is exchanged, and none goes back', async () => {
    const database = cluster.freshSchema()
    const old = await serveOver(database)
    await save(old, documentWith('app'))

    const next = await serveOver(database, folderBeside(old), { main: nextVersion() })
    const saved = [
      (await save(old, documentWith('app', 'by-old'))).status,
      (await save(next, documentWith('app', 'by-next'))).status,
    ]
    const paused = await pausePipeline(next, 'app', 'by the old server')
    await until(async () => (await currentOf(old)).includes('by-next'), TIMEOUT_MS)
    const ended = await stop(old)
    await until(async () => (await pausePipeline(next, 'app', 'by the next')) === 200, TIMEOUT_MS)
    const back = await run(serveFlags(database, old.folder))

    expect([...saved, paused]).toEqual([200, 200, 200])
    expect(ended.code).toBe(0)
    expect(await pausedBy(next, 'app')).toMatchObject({ pausedCause: 'by the next' })
    expect(back.code).toBe(1)
    expect(back.stderr).toMatch(/^cairn: .*it has version \d+, and this program knows \d+\n$/)
  })
})
