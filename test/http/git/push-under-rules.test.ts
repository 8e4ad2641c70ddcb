// @module-tag long
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clone, repositoryUrl } from '../../support/git/git-client.ts'
import { liveFileOf } from '../../support/history/push-scene.ts'
import { DELEGATED } from '../../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../../support/service/delegated-service.ts'
import { startService } from '../../support/service/service.ts'

const RULES = `version: 1
rules:
  - { name: closed, effect: deny, match: { entity: pipeline/m1 } }
  - { name: why, match: { entity: rules }, need: [{ reason: required }] }
`
const M1 = DELEGATED.replace('m1.git', 'x.git')
const S1 = DELEGATED.replace('s1.git', 'y.git')

describe('a push under rules', () => {
  it('is judged commit by commit, by the rules before it, also by an administrator', async () => {
    const service = await startService()
    const clone = await Clone.of(service.url)
    await delegate(service)
    const url = repositoryUrl(service.url, loginOf('root'))
    await clone.git('pull', '--quiet', url, 'main')
    const answers: string[] = []
    const push = async () => {
      const { code, stderr } = await clone.push(url, 'HEAD:main')
      answers.push(code === 0 ? 'pushed' : (/HEAD -> main \((.*)\)/.exec(stderr)?.[1] ?? stderr))
      await clone.git('fetch', '--quiet', url, 'main')
      await clone.git('reset', '--quiet', '--hard', 'FETCH_HEAD')
    }
    const writeRules = async (text: string) => {
      writeFileSync(join(clone.folder, 'cairn-rules.yaml'), text)
      await clone.git('add', 'cairn-rules.yaml')
    }
    // Rules that are not sound, then sound ones.
    await writeRules(RULES.replace('effect', 'efect'))
    await clone.git('commit', '--quiet', '-m', 'Add rules')
    await push()
    await writeRules(RULES)
    await clone.git('commit', '--quiet', '-m', 'Add rules')
    await push()
    // What they close, alone and in the middle of others.
    await clone.commit(M1)
    await push()
    await clone.commit(M1)
    await clone.commit(S1)
    await push()
    // The rules together with the change, and the rules without a reason.
    await writeRules('version: 1\nrules: []\n')
    await clone.commit(M1)
    await push()
    await writeRules('version: 1\nrules: []\n')
    await clone.git('commit', '--quiet', '-m', 'Drop the rules')
    await push()
    await clone.commit(S1)
    await push()

    expect(answers).toEqual([
      expect.stringContaining('There is no key efect here; did you mean "effect"?'),
      'pushed',
      expect.stringContaining('The rule closed allows no change of pipeline/m1'),
      expect.stringContaining('The rule closed allows no change of pipeline/m1'),
      expect.stringContaining('The rule closed allows no change of pipeline/m1'),
      expect.stringContaining('The rule why needs a reason'),
      'pushed',
    ])
    expect(liveFileOf(service.repository)).toBe(S1)
  })
})
