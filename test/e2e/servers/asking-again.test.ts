// @module-tag long
// @module-tag chromium

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { AgentProcess } from '../../support/agents/agent-process.ts'
import { gitOrigin } from '../../support/builds/source-origins.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { aConfiguration, element, exec, git } from '../../support/documents/a-configuration.ts'
import { gitLine } from '../../support/git/git.ts'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { until } from '../../support/programs/until.ts'
import {
  type DatabaseServer,
  folderBeside,
  kill,
  serveOver,
} from '../../support/service/database-server.ts'
import { openEvents, type ReadEvent } from '../../support/service/event-reader.ts'
import { save } from '../../support/service/saving.ts'
import { currentOf, setLease } from '../../support/service/servers.ts'

/** Milliseconds. */
const TIMEOUT_MS = 30_000
const WITHIN = { timeout: TIMEOUT_MS }
const AWAY = 'The server is not responding. This page might be out of date.'

const chromium = useBrowser()

/** Pipelines that are started by hand, and succeed. */
function documentOf(origin: string): string {
  const job = { name: 'unit', tasks: [exec('true')] }
  const approval = element('approval', { type: 'manual' })
  const stages = [{ name: 'build', approval, jobs: [job] }]
  const materials = [git(origin, { branch: 'trunk' })]
  return aConfiguration({
    pipelines: ['app', 'spare'].map((name) => ({ name, materials, stages })),
  })
}

/** Saves a document with another name for a pipeline; agents stay in it. */
async function rename(server: DatabaseServer, from: string, to: string): Promise<void> {
  const current = await currentOf(server)
  await save(server, current.replace(`"${from}"`, `"${to}"`))
}

/** Starts an agent that may build, and waits for work at one server. */
async function startAgentAt(server: DatabaseServer): Promise<void> {
  const agent = new AgentProcess({ server: server.url, workDir: join(tempDir(), 'agent') })
  onTestFinished(() => agent[Symbol.asyncDispose]())
  const listed = async () => (await server.fetch('/api/agents')).text()
  await until(async () => (await listed()).includes('Pending'), TIMEOUT_MS)
  const [uuid = ''] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(await listed()) ?? []
  await server.fetch(`/api/agents/${uuid}/enable`, { method: 'POST' })
  await until(() => agent.output.includes('The server lists this agent as Enabled'), TIMEOUT_MS)
}

/** Reads a stream up to the event of a commit, and gives its id; null when it ends before, however it does. */
async function readTo(
  events: { next(): Promise<ReadEvent | null> },
  commit: string,
): Promise<string | null> {
  for (;;) {
    const event = await events.next().catch(() => null)
    if (event === null || event.id === commit) return event?.id ?? null
  }
}

function headOf({ folder }: DatabaseServer): string {
  return gitLine(join(folder, 'config-repo'), 'rev-parse', 'HEAD')
}

describe('what waits at several servers', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('goes on by asking again after a take-over: a page, streams, and an agent', async () => {
    const root = tempDir()
    const origin = join(root, 'origin')
    gitOrigin(origin)
    const settings = { flags: ['--local-materials', root, '--material-interval', '24h'] }
    const database = cluster.freshSchema()
    const first = await serveOver(database, tempDir(), settings)
    await save(first, documentOf(origin))
    const second = await serveOver(database, folderBeside(first), settings)
    await startAgentAt(second)
    const page = await visit(chromium.browser, second.url)
    await page.goto('/pipelines/app')
    const [atHolder, atOther] = [await openEvents(first), await openEvents(second)]
    await rename(first, 'spare', 'before')
    const before = headOf(first)
    const heard = [await readTo(atHolder, before), await readTo(atOther, before)]

    await kill(first)
    await setLease(database, '1 hour')
    await page.getByText(AWAY).waitFor(WITHIN)
    await setLease(database, '0')
    await until(async () => (await second.fetch('/api/agents')).status === 200, TIMEOUT_MS)
    const again = await openEvents(second, '', { 'last-event-id': before })
    const ended = await readTo(atHolder, 'none')
    await rename(second, 'before', 'after')
    const after = headOf(second)
    const scheduled = await second.fetch('/api/pipelines/app/schedule', { method: 'POST' })

    expect(heard).toEqual([before, before])
    expect(ended).toBeNull()
    expect([await readTo(atOther, after), await readTo(again, after)]).toEqual([after, after])
    expect(scheduled.status).toBe(202)
    await page.getByRole('link', { name: /build Passed/ }).waitFor(WITHIN)
    await expect.poll(() => page.getByText(AWAY).count()).toBe(0)
  })
})
