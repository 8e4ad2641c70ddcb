// @module-tag long
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { gitOrigin } from '../../support/builds/source-origins.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { aConfiguration, element, git } from '../../support/documents/a-configuration.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { until } from '../../support/programs/until.ts'
import {
  type DatabaseServer,
  folderBeside,
  kill,
  serveOver,
} from '../../support/service/database-server.ts'
import { save } from '../../support/service/saving.ts'
import { setLease } from '../../support/service/servers.ts'

const CLOCK = fileURLToPath(new URL('../../support/faults/shifted-clock.cjs', import.meta.url))
/** In milliseconds. */
const TIMEOUT_MS = 90_000
const SECOND_MS = 1_000
/** How much a clock is ahead, and until a tick: a server that believed its clock would run it halfway there. */
const [AHEAD_MS, UNTIL_TICK_MS] = [7_000, 14_000]

const Pipelines = z.array(
  z.object({
    name: z.string(),
    latest: z.object({ counter: z.int() }).nullable(),
  }),
)
const Run = z.object({
  scheduled_date: z.int(),
  configuration: z.object({ digest: z.string(), commit: z.string() }),
})
const Newest = z.tuple([z.object({ md5: z.string(), commitSHA: z.string() })])

function origins() {
  const root = tempDir()
  const origin = join(root, 'origin')
  gitOrigin(origin)
  return { origin, flags: ['--local-materials', root, '--material-interval', '200ms'] }
}

/** Fires once a day, at one second. */
function cronAt(time: number): string {
  const at = new Date(time)
  return `${at.getSeconds()} ${at.getMinutes()} ${at.getHours()} * * ?`
}

/** Pipelines that their timers start, each at a time of its own. */
function documentOf(origin: string, timers: Readonly<Record<string, number>>): string {
  const stages = [{ name: 'build', approval: element('approval', { type: 'manual' }) }]
  const materials = [git(origin, { branch: 'trunk' })]
  const pipelines = Object.entries(timers).map(([name, at]) => {
    return { name, timer: cronAt(at), materials, stages }
  })
  return aConfiguration({ pipelines })
}

/** How many runs each of the pipelines has; null while no server runs builds. */
async function runsAt(server: DatabaseServer): Promise<Record<string, number> | null> {
  const answer = await server.fetch('/api/pipelines')
  if (answer.status !== 200) return null
  const listed = Pipelines.parse(await answer.json())
  return Object.fromEntries(listed.map(({ name, latest }) => [name, latest?.counter ?? 0]))
}

async function runOf(server: DatabaseServer, pipeline: string): Promise<z.infer<typeof Run>> {
  const answer = await server.fetch(`/api/pipelines/${pipeline}/instance/1`)
  return Run.parse(await answer.json())
}

describe('timers of several servers', { tags: ['postgresql', 'long'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('do a tick that falls into a take-over once, after it', async () => {
    const { origin, flags } = origins()
    const database = cluster.freshSchema()
    const first = await serveOver(database, tempDir(), { flags })
    const second = await serveOver(database, folderBeside(first), { flags })
    const tick = Date.now() + 10 * SECOND_MS
    await save(first, documentOf(origin, { nightly: tick, noon: tick + 4 * TIMEOUT_MS }))
    await until(async () => (await runsAt(second))?.['nightly'] === 0, TIMEOUT_MS)

    await kill(first)
    await setLease(database, '1 hour')
    await until(() => Date.now() > tick + SECOND_MS, TIMEOUT_MS)
    await setLease(database, '0')

    await until(async () => (await runsAt(second))?.['nightly'] === 1, TIMEOUT_MS)
    expect(await runsAt(second)).toEqual({ nightly: 1, noon: 0 })
  })

  it('do a tick once, in its time and by the same revision, whatever the clock of a server says', async () => {
    const { origin, flags } = origins()
    const database = cluster.freshSchema()
    const clock = join(tempDir(), 'clock')
    writeFileSync(clock, `${AHEAD_MS}`)
    const env = { NODE_OPTIONS: `--require ${CLOCK}`, SHIFTED_CLOCK: clock }
    const first = await serveOver(database, tempDir(), { flags, env })
    const second = await serveOver(database, folderBeside(first), { flags })
    const tick = Date.now() + UNTIL_TICK_MS
    await save(first, documentOf(origin, { nightly: tick, later: tick + 6 * SECOND_MS }))

    await until(async () => (await runsAt(second))?.['nightly'] === 1, TIMEOUT_MS)
    const ranAt = Date.now()
    // As long as it runs, a second tick would wait for its end.
    const cancel = { method: 'POST' }
    expect((await second.fetch('/api/stages/nightly/build/cancel', cancel)).status).toBe(200)
    await kill(first)
    await setLease(database, '0')
    await until(async () => (await runsAt(second))?.['later'] === 1, TIMEOUT_MS)

    expect(ranAt).toBeGreaterThanOrEqual(tick - (tick % SECOND_MS))
    expect(await runsAt(second)).toEqual({ nightly: 1, later: 1 })
    const [later, nightly] = await Promise.all([runOf(second, 'later'), runOf(second, 'nightly')])
    expect(later.scheduled_date).toBeGreaterThan(tick)
    // Each server made one of them, by the revision that was saved at the first.
    const newest = await second.fetch('/api/config/revisions?limit=1')
    const [{ md5: digest, commitSHA: commit }] = Newest.parse(await newest.json())
    expect(later.configuration).toMatchObject({ digest, commit })
    expect(nightly.configuration).toEqual(later.configuration)
  })
})
