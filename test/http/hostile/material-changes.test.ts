import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { RUN_CHANGES } from '../../../src/builds/engine/documents.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import type { BuildScene } from '../../support/builds/build-service.ts'
import { commit, latest, open } from '../../support/builds/trigger-scene.ts'
import { gitBytes, gitLine } from '../../support/git/git.ts'

/** Commits what nobody could with git itself to the repository of the material. */
function commitWith(scene: BuildScene, author: string): void {
  const tree = gitLine(scene.origin, 'rev-parse', 'HEAD^{tree}')
  const parent = gitLine(scene.origin, 'rev-parse', 'HEAD')
  const input = `tree ${tree}\nparent ${parent}\nauthor ${author}\ncommitter C <c@x> 1 +0000\n\nodd\n`
  const write = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally']
  const oid = gitBytes(scene.origin, write, { input }).toString().trim()
  gitLine(scene.origin, 'update-ref', 'HEAD', oid)
}

const PAGES = ['/pipelines', '/pipelines/app', '/stages/app/build', '/pipelines/app/compare/1/2']

/** In a year that no date has, at a time that no number holds, before all times, at none, and by a very long name. */
const AUTHORS = [
  'A <a@x> 9000000000000 +0000',
  'A <a@x> 9223372036854775807 +0000',
  'A <a@x> -99999999999999 +0000',
  'A <a@x> ',
  `${'A'.repeat(100_000)} <a@x> 1 +0000`,
]

describe('changes of a material that no honest tool makes', () => {
  it('start a run whose pages are shown', async () => {
    const { scene, agent } = await open({})
    await agent.finish(await agent.work())

    for (const author of AUTHORS) commitWith(scene, author)

    await agent.finish(await agent.work())
    expect(await latest(scene)).toBe('2 by changes')
    const answers = await Promise.all(PAGES.map((page) => scene.get(page)))
    expect(answers.map(({ status }) => status)).toEqual(PAGES.map(() => 200))
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(texts.filter((text) => text.includes('A'.repeat(1_000)))).toEqual([])
  })

  // The same times as an earlier version stored them; JSON has null for what is no number.
  it.each([9e15, 9e21, -1e17, 1.5, null])(
    'leave the pages of a run that has them at %s in its record',
    async (time) => {
      const { scene, agent } = await open({})
      await agent.finish(await agent.work())
      commit(scene)
      await agent.finish(await agent.work())
      await scene.service.close()
      const store = await openSqliteState(join(scene.service.folder, 'state/state.sqlite'))
      await store.change(async (tx) => {
        for (const { key, value } of await tx.list(RUN_CHANGES)) {
          const odd = value.map(({ fingerprint, modifications }) => ({
            fingerprint,
            modifications: modifications.map((each) => ({ ...each, time })),
          }))
          await tx.put({ name: RUN_CHANGES.name, schema: z.unknown() }, key, odd)
        }
      })
      await store[Symbol.asyncDispose]()

      const again = await scene.restart()
      const answers = await Promise.all(PAGES.map((page) => again.get(page)))
      const compared = await again.get('/api/pipelines/app/compare/1/2')

      expect([...answers, compared].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    },
  )
})
