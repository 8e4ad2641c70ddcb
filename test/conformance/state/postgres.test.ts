import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadPostgresState, openPostgresState } from '../../../src/state/open-postgres.ts'
import { PostgresDriver } from '../../../src/state/postgres-driver.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { TcpProxy } from '../../support/programs/tcp-proxy.ts'
import { describeStateStore } from './describe-state-store.ts'

/** In milliseconds: sooner than a client gives up a connection. */
const SOON_MS = 4_000

describe('with a PostgreSQL server', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  describeStateStore('PostgreSQL', async () => {
    const url = cluster.freshSchema()
    return {
      open: (upgrades) => openPostgresState(url, upgrades ? { upgrades } : {}),
      load: (lines, upgrades) => loadPostgresState(url, lines, upgrades),
      remove: async () => undefined,
    }
  })

  it('is asked again at once after a connection was lost in the middle of a question', async () => {
    const url = cluster.freshSchema()
    await using line = await TcpProxy.open(url)
    await using driver = new PostgresDriver(line.through(url))
    const ask = async () => (await driver.begin()).rollback()
    await ask()

    // A timer comes before what the event loop hears of lines, and that before what it writes.
    await wait(1)
    const started = performance.now()
    line.reset()
    const lost = await ask().catch((error: unknown) => error)
    await ask()

    expect(lost).toMatchObject({ code: 'unavailable' })
    expect(performance.now() - started).toBeLessThan(SOON_MS)
  })

  it('is away where a line to it takes connections and closes them', async () => {
    const url = cluster.freshSchema()
    await using line = await TcpProxy.open(url)
    await using driver = new PostgresDriver(line.through(url))
    const ask = () => driver.query('SELECT 1 AS one')

    line.cutOff()
    const started = performance.now()
    const away = await ask().catch((error: unknown) => error)
    const took = performance.now() - started
    line.heal()

    expect(away).toMatchObject({ code: 'unavailable' })
    expect(took).toBeLessThan(SOON_MS)
    expect(await ask()).toEqual([{ one: 1 }])
  })
})
