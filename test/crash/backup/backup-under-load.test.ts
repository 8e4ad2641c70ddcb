// @module-tag long
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { JOB, PIPELINE } from '../../../src/builds/engine/documents.ts'
import { WEBHOOKS } from '../../../src/notify/webhooks/webhook-cursor.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import type { StateStore } from '../../../src/state/state-store.ts'
import { backUp, checkCodes, placesIn, restoreNew } from '../../support/service/backups.ts'
import { buildProblems } from '../../support/builds/build-problems.ts'
import { git } from '../../support/git/git.ts'
import { LoadedService, type Step } from '../../support/service/loaded-service.ts'
import { start } from '../../support/programs/start.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'
import { WebhookReceiver } from '../../support/service/webhook-receiver.ts'

const ROUNDS = 4

function digestsIn(folder: string): string[] {
  const format = '--format=%(trailers:key=Config-MD5,valueonly)'
  return git(join(folder, 'config-repo'), 'log', format).split('\n')
}

function commitsIn(folder: string): string[] {
  return git(join(folder, 'config-repo'), 'rev-list', 'HEAD').split('\n')
}

/** The commit of the history that the state names: what a webhook was told last. */
async function toldCommit(folder: string): Promise<string | undefined> {
  await using store = await openSqliteState(join(folder, 'state', 'state.sqlite'))
  return (await store.find(WEBHOOKS, 'mirror'))?.commit
}

async function isThere(store: StateStore, step: Step): Promise<boolean> {
  if ('counter' in step) return (await store.find(PIPELINE, `app/${step.counter}`)) !== null
  const stored = await store.find(JOB, `${step.job.id}`)
  const known = new Set(stored?.transitions.map(({ id }) => id))
  return step.job.transitions.every(({ id }) => known.has(id))
}

/** The steps that a restored folder does not have, and what is wrong with the builds in it. */
async function buildsIn(folder: string, steps: readonly Step[]) {
  await using store = await openSqliteState(join(folder, 'state', 'state.sqlite'))
  const there = await Promise.all(steps.map((step) => isThere(store, step)))
  return { lost: steps.filter((_, n) => !there[n]), problems: await buildProblems(store) }
}

describe('a backup beside saves and builds that are killed', () => {
  it(
    'has everything that was acknowledged before it began, and is whole',
    { timeout: 300_000 },
    async () => {
      const [folder, target] = [tempDir(), tempDir()]
      const [saved, steps]: [string[], Step[]] = [[], []]
      const receiver = await WebhookReceiver.open()
      mkdirSync(join(folder, 'state'))
      receiver.writeFile(join(folder, 'state', 'webhooks.json'))
      for (let round = 0; round < ROUNDS; round += 1) {
        const load = await LoadedService.start(folder, `round-${round}`)
        await until(() => load.saved.length > 2 && load.steps.length > 20)
        const [savedBefore, stepsBefore] = [
          [...saved, ...load.saved],
          [...steps, ...load.steps],
        ]
        const file = join(target, `${round}.tar.gz`)
        const [made] = await Promise.all([
          backUp(folder, file),
          wait(round * 150).then(() => load.kill()),
        ])
        saved.push(...load.saved)
        steps.push(...load.steps)

        const restored = await restoreNew(file)

        expect([made.code, restored.code]).toEqual([0, 0])
        expect(await checkCodes(restored.folder)).toEqual([0, 0])
        const has = digestsIn(restored.folder)
        expect(savedBefore.filter((digest) => !has.includes(digest))).toEqual([])
        expect(await buildsIn(restored.folder, stepsBefore)).toEqual({ lost: [], problems: [] })
        expect(commitsIn(restored.folder)).toContain(await toldCommit(restored.folder))
      }
    },
  )

  it(
    'that is killed itself leaves no archive, and the next one clears up',
    { timeout: 120_000 },
    async () => {
      const [folder, target] = [tempDir(), join(tempDir(), 'backups')]
      mkdirSync(target)
      const load = await LoadedService.start(folder, 'steady')
      const file = join(target, 'backup.tar.gz')
      for (const delay of [0, 100, 300]) {
        const backup = start(['backup', file, ...placesIn(folder)])
        await until(() => readdirSync(target).some((name) => name.includes('.draft-')))
        await wait(delay)
        backup.process.kill('SIGKILL')
        await backup.ended()
      }
      const left = readdirSync(target)

      const made = await backUp(folder, file)

      await load.kill()
      expect(left).toEqual([expect.stringMatching(/^backup\.tar\.gz\.draft-/)])
      expect(made).toMatchObject({ code: 0 })
      expect(readdirSync(target)).toEqual(['backup.tar.gz'])
    },
  )
})
