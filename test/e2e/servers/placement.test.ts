// @module-tag long
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { freePort } from '../../support/programs/free-port.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { TcpProxy } from '../../support/programs/tcp-proxy.ts'
import { until } from '../../support/programs/until.ts'
import {
  type DatabaseServer,
  folderBeside,
  serveOver,
} from '../../support/service/database-server.ts'
import { save } from '../../support/service/saving.ts'
import { pausedBy, pausePipeline, serveTwo } from '../../support/service/servers.ts'

/** In milliseconds. */
const TIMEOUT_MS = 60_000
const WITHIN = { timeout: TIMEOUT_MS }

async function healthOf(server: Pick<DatabaseServer, 'fetch'>): Promise<string> {
  return (await server.fetch('/health')).text()
}

/** The address that a server behind a proxy advertises. */
function advertisedOf(line: TcpProxy): string {
  return line.through('http://127.0.0.1:1')
}

describe('servers that do not reach each other', { tags: ['postgresql', 'long'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('are led by one that the others reach, and say which one nobody reaches', async () => {
    const database = cluster.freshSchema()
    const port = await freePort()
    await using line = await TcpProxy.to(port)
    const advertised = advertisedOf(line)
    const first = await serveOver(database, tempDir(), { port, advertised })
    await save(first, documentWith('app'))
    const [second, third] = await Promise.all([
      serveOver(database, folderBeside(first)),
      serveOver(database, folderBeside(first)),
    ])
    await until(async () => (await pausePipeline(second, 'app', 'before')) === 200, TIMEOUT_MS)

    line.cutOff()
    const ended = await first.program.ended()
    await until(async () => (await pausePipeline(second, 'app', 'after')) === 200, TIMEOUT_MS)
    await serveOver(database, first.folder, { port, advertised })

    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain(`cairn: no other server reaches this one at ${advertised}`)
    await expect
      .poll(() => healthOf(third), WITHIN)
      .toMatch(new RegExp(`No other server reaches .* at ${advertised}`))
    expect(await pausedBy(third, 'app')).toMatchObject({ pausedCause: 'after' })
    line.heal()
    await expect.poll(() => healthOf(third), WITHIN).not.toContain('No other server reaches')
  })

  it('are led by the one that they know where another one is not reached either', async () => {
    const database = cluster.freshSchema()
    const [port, other] = [await freePort(), await freePort()]
    await using line = await TcpProxy.to(port)
    await using lineToOther = await TcpProxy.to(other)
    const first = await serveOver(database, tempDir(), { port, advertised: advertisedOf(line) })
    await save(first, documentWith('app'))
    const place = { port: other, advertised: advertisedOf(lineToOther) }
    const second = await serveOver(database, folderBeside(first), place)

    line.cutOff()
    lineToOther.cutOff()
    for (const server of [first, second]) {
      for (const advertised of [line, lineToOther].map(advertisedOf)) {
        await expect.poll(() => healthOf(server), WITHIN).toContain(`at ${advertised}`)
      }
    }

    expect(await pausePipeline(first, 'app', 'kept')).toBe(200)
  })

  it('since they advertise one address say so', async () => {
    const database = cluster.freshSchema()
    const [first, second] = await serveTwo(database)
    const third = await serveOver(database, folderBeside(first), { advertised: second.url })

    for (const server of [second, third]) {
      await expect
        .poll(() => healthOf(server), WITHIN)
        .toContain(`both say that they are reached at ${second.url}`)
    }
  })
})
