// @module-tag long
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { gitOrigin } from '../../support/builds/source-origins.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import {
  aConfiguration,
  element,
  git as gitMaterial,
} from '../../support/documents/a-configuration.ts'
import { git, gitLine } from '../../support/git/git.ts'
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
import { WebhookReceiver } from '../../support/service/webhook-receiver.ts'

/** Milliseconds. */
const TIMEOUT_MS = 30_000

const Pipelines = z.array(
  z.object({
    name: z.string(),
    latest: z.object({ counter: z.int(), label: z.string() }).nullable(),
  }),
)
const Run = z.object({ label: z.string() })
const Duties = z.object({ mirror: z.unknown(), webhooks: z.array(z.unknown()) })

/** The programs that the leader reaches: a material, a mirror, and a receiver of revisions. */
async function surroundings() {
  const root = tempDir()
  const [origin, mirror, hooks] = [join(root, 'origin'), join(root, 'mirror'), join(root, 'hooks')]
  gitOrigin(origin)
  git(root, 'init', '--quiet', '--bare', '--initial-branch=main', mirror)
  git(mirror, 'config', 'core.logAllRefUpdates', 'true')
  const receiver = await WebhookReceiver.open()
  receiver.writeFile(hooks)
  const polls = ['--local-materials', root, '--material-interval', '100ms']
  return {
    origin,
    mirror,
    receiver,
    flags: [...polls, '--mirror', mirror, '--webhooks-file', hooks],
  }
}

/** A pipeline that every change of the material starts, one that its timer starts, and empty ones. */
function documentOf(origin: string, ...others: readonly string[]): string {
  const materials = [gitMaterial(origin, { branch: 'trunk', materialName: 'src' })]
  const attributes = { labeltemplate: '${COUNT}.${src}' }
  const byHand = [{ name: 'build', approval: element('approval', { type: 'manual' }) }]
  return aConfiguration({
    pipelines: [
      { name: 'polled', attributes, materials },
      { name: 'timed', timer: '* * * * * ?', materials, stages: byHand },
      ...others.map((name) => ({ name, materials, stages: byHand })),
    ],
  })
}

/** Changes the material, and gives the commit. */
function change(origin: string): string {
  gitLine(origin, 'commit', '-q', '--allow-empty', '-m', 'more')
  return gitLine(origin, 'rev-parse', 'HEAD')
}

/** The newest run of a pipeline; null while there is no leader. */
async function latestOf(server: DatabaseServer, pipeline: string) {
  const answer = await server.fetch('/api/pipelines')
  if (answer.status !== 200) return null
  const listed = Pipelines.parse(await answer.json())
  return listed.find(({ name }) => name === pipeline)?.latest ?? null
}

/** Ends the run that keeps the next one from starting. */
async function makeRoom(server: DatabaseServer, pipeline: string): Promise<void> {
  await server.fetch(`/api/stages/${pipeline}/build/cancel`, { method: 'POST' })
}

async function untilBuilt(server: DatabaseServer, revision: string): Promise<void> {
  await until(async () => {
    await makeRoom(server, 'polled')
    return (await latestOf(server, 'polled'))?.label.endsWith(revision) ?? false
  }, TIMEOUT_MS)
}

/** The revisions that all runs of a pipeline were made from, the oldest first. */
async function builtRevisions(server: DatabaseServer, pipeline: string): Promise<string[]> {
  const { counter = 0 } = (await latestOf(server, pipeline)) ?? {}
  const runs = Array.from({ length: counter }, async (_, n) => {
    const answer = await server.fetch(`/api/pipelines/${pipeline}/instance/${n + 1}`)
    return Run.parse(await answer.json()).label.replace(/^\d+\./, '')
  })
  return Promise.all(runs)
}

function headOf({ folder }: DatabaseServer): string {
  return gitLine(join(folder, 'config-repo'), 'rev-parse', 'HEAD')
}

function tipOf(mirror: string): string {
  return git(mirror, 'for-each-ref', '--format=%(objectname)', 'refs/heads/main').trim()
}

describe('the leader of several servers', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('go on where they were when it is killed: polls, timers, webhooks and the mirror, each once', async () => {
    const { origin, mirror, receiver, flags } = await surroundings()
    const database = cluster.freshSchema()
    const first = await serveOver(database, tempDir(), { flags })
    await save(first, documentOf(origin))
    const second = await serveOver(database, folderBeside(first), { flags })
    const changes = [gitLine(origin, 'rev-parse', 'HEAD')]
    await untilBuilt(first, changes[0] ?? '')
    changes.push(change(origin))
    await untilBuilt(first, changes[1] ?? '')
    await until(async () => (await latestOf(first, 'timed')) !== null, TIMEOUT_MS)
    await until(() => receiver.taken().at(-1) === headOf(first), TIMEOUT_MS)
    const withoutThem = Duties.parse(await (await second.fetch('/health')).json())
    receiver.behaviours.push('hang')
    await save(first, documentOf(origin, 'told'))
    await until(() => receiver.calls.at(-1)?.behaviour === 'hang', TIMEOUT_MS)
    await until(() => tipOf(mirror) === headOf(first), TIMEOUT_MS)

    await kill(first)
    changes.push(change(origin))
    await save(second, documentOf(origin, 'told', 'meanwhile'))
    await setLease(database, '0')

    await untilBuilt(second, changes[2] ?? '')
    changes.push(change(origin))
    await untilBuilt(second, changes[3] ?? '')
    expect(await builtRevisions(second, 'polled')).toEqual(changes)
    await until(async () => {
      const isStartedAgain = ((await latestOf(second, 'timed'))?.counter ?? 0) > 1
      if (!isStartedAgain) await makeRoom(second, 'timed')
      return isStartedAgain
    }, TIMEOUT_MS)
    const head = headOf(second)
    await until(() => receiver.taken().at(-1) === head, TIMEOUT_MS)
    const revisions = git(join(second.folder, 'config-repo'), 'rev-list', '--reverse', 'HEAD')
    expect(receiver.taken()).toEqual(revisions.trim().split('\n').slice(1))
    expect(receiver.calls.filter(({ behaviour }) => behaviour === 'hang')).toHaveLength(1)
    await until(() => tipOf(mirror) === head, TIMEOUT_MS)
    const pushed = git(mirror, 'log', '--walk-reflogs', '--format=%H', 'main').trim().split('\n')
    expect(new Set(pushed).size).toBe(pushed.length)
    expect(withoutThem).toEqual({ mirror: null, webhooks: [] })
  })
})
