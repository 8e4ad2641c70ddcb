import { describe, expect, it } from 'vitest'
import type { BuildScene } from '../../support/builds/build-service.ts'
import { latest, open } from '../../support/builds/trigger-scene.ts'
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
})
