// @module-tag long
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { git, gitLine } from '../support/git/git.ts'
import { documentWith } from '../support/documents/documents.ts'
import { save } from '../support/service/saving.ts'
import { saved } from '../support/service/saved-digest.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { damage } from '../support/history/sick-repository.ts'
import { run } from '../support/programs/start.ts'

const REVISIONS = 30
const ROUNDS = 4

interface Scene {
  readonly folder: string
  readonly repository: string
  /** The digests of all revisions, with that of the damaged one apart. */
  readonly healthy: readonly string[]
  readonly old: string
  readonly commit: string
  readonly object: string
}

/** A stopped service with many revisions, one of which is to be damaged. */
async function aStoppedService(): Promise<Scene> {
  const service = await startService()
  const { folder, repository } = service
  const old = await saved(service, 'old')
  const commit = gitLine(repository, 'rev-parse', 'HEAD')
  const object = gitLine(repository, 'rev-parse', 'HEAD:config.xml')
  const healthy: string[] = []
  for (let n = 0; n < REVISIONS; n += 1) healthy.push(await saved(service, `healthy-${n}`))
  await service.close()
  return { folder, repository, healthy, old, commit, object }
}

function fileOf({ repository, object }: Scene): string {
  return join(repository, '.git/objects', object.slice(0, 2), object.slice(2))
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  for (let n = 0; n < 4; n += 1) copy[at + n] = (copy[at + n] ?? 0) ^ 0xff
  return copy
}

/** Puts every object into one pack without deltas, and flips bytes of one of them. */
function damagePack({ repository, object }: Scene): void {
  git(repository, 'repack', '-a', '-d', '-f', '-q', '--window=0')
  const folder = join(repository, '.git/objects/pack')
  const name = readdirSync(folder).find((each) => each.endsWith('.pack')) ?? ''
  const lines = git(repository, 'verify-pack', '-v', join(folder, name)).split('\n')
  const [, , , size = '', offset = ''] =
    lines.find((line) => line.startsWith(object))?.split(/ +/) ?? []
  const bytes = readFileSync(join(folder, name))
  damageWith(join(folder, name), flipped(bytes, Number(offset) + Math.floor(Number(size) / 2)))
}

function damageWith(file: string, bytes: Buffer): void {
  rmSync(file, { force: true })
  writeFileSync(file, bytes)
}

const WAYS: readonly [string, (scene: Scene) => void][] = [
  [
    'a truncated loose object',
    (scene) => {
      const bytes = readFileSync(fileOf(scene))
      damageWith(fileOf(scene), bytes.subarray(0, bytes.length / 2))
    },
  ],
  [
    'flipped bytes in a loose object',
    (scene) => {
      const bytes = readFileSync(fileOf(scene))
      damageWith(fileOf(scene), flipped(bytes, Math.floor(bytes.length / 2)))
    },
  ],
  ['an empty loose object', (scene) => damage(fileOf(scene))],
  ['flipped bytes in a pack', damagePack],
]

async function problemsOf(service: TestService): Promise<string[]> {
  const body = HealthBody.parse(await (await service.fetch('/health')).json())
  return body.problems.map(({ subject }) => subject)
}

describe('one damaged object', () => {
  it.each(WAYS)('costs its own revision alone: %s', { timeout: 60_000 }, async (_, doDamage) => {
    const scene = await aStoppedService()
    doDamage(scene)
    const service = await startService([], scene.folder)
    const all = Array.from({ length: ROUNDS }, () => [scene.old, ...scene.healthy]).flat()

    const answers = await Promise.all(
      all.map(async (digest) => {
        const answer = await service.fetch(`/api/admin/config/${digest}.xml`)
        return { digest, status: answer.status, text: await answer.text() }
      }),
    )
    const page = await service.fetch(`/config/revisions/${scene.commit}`)
    const pageText = await page.text()

    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(refused.map(({ digest }) => digest))).toEqual(new Set([scene.old]))
    expect(refused).toHaveLength(ROUNDS)
    for (const { status, text } of refused) {
      expect(status).toBe(503)
      expect(text).toContain(`commit ${scene.commit} cannot be read`)
      expect(text).toContain('cairn doctor')
      expect(text).not.toContain(scene.folder)
    }
    expect(pageText).not.toContain(scene.folder)
    const [problem] = await problemsOf(service)
    expect(problem).toMatch(new RegExp(`commit ${scene.commit} cannot be read.*cairn doctor`))
    expect(problem).not.toContain(scene.folder)
  })

  it('is no problem any more once it can be read again', async () => {
    const scene = await aStoppedService()
    const whole = readFileSync(fileOf(scene))
    damage(fileOf(scene), 'damaged')
    const service = await startService(['--poll-interval', '200ms'], scene.folder)
    const refused = await service.fetch(`/api/admin/config/${scene.old}.xml`)
    const before = await problemsOf(service)

    damageWith(fileOf(scene), whole)

    expect([refused.status, before.length]).toEqual([503, 1])
    await expect.poll(() => problemsOf(service)).toEqual([])
    const served = await service.fetch(`/api/admin/config/${scene.old}.xml`)
    expect(served.status).toBe(200)
  })

  it('is repaired by the doctor from a clone', { timeout: 60_000 }, async () => {
    const scene = await aStoppedService()
    const clone = join(scene.folder, 'clone')
    git(scene.folder, 'clone', '--quiet', '--no-local', scene.repository, clone)
    damage(fileOf(scene), 'damaged')
    const sick = await startService([], scene.folder)
    const refused = await sick.fetch(`/api/admin/config/${scene.old}.xml`)
    const before = await problemsOf(sick)
    await sick.close()

    const places = ['--config-repo', scene.repository, '--state-dir', join(scene.folder, 'state')]
    const repaired = await run(['doctor', '--repair', '--from', clone, ...places])
    const again = await startService([], scene.folder)
    const served = await again.fetch(`/api/admin/config/${scene.old}.xml`)

    expect([refused.status, before.length]).toEqual([503, 1])
    expect(repaired.code).toBe(0)
    expect([served.status, await problemsOf(again)]).toEqual([200, []])
  })
})

it('a lost newest commit refuses saves with the reason', async () => {
  const scene = await aStoppedService()
  const service = await startService([], scene.folder)
  const head = gitLine(scene.repository, 'rev-parse', 'HEAD')
  rmSync(fileOf({ ...scene, object: head }))

  const refused = await save(service, documentWith('next'))

  expect(refused.status).toBe(503)
  expect(await refused.json()).toEqual({
    message: `The repository is damaged: its object ${head} cannot be read`,
  })
})
