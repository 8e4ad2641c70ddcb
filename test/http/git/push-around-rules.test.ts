// @module-tag long
import { createHash } from 'node:crypto'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Clone, repositoryUrl, runGit } from '../../support/git/git-client.ts'
import { git } from '../../support/git/git.ts'
import {
  edited,
  GUARDED,
  OTHER_GOAL,
  pipelineText,
  TWO_EYES,
} from '../../support/gate/guarded-document.ts'
import { guard, GuardedService } from '../../support/gate/guarded-service.ts'
import { shared } from '../../support/programs/at-end.ts'
import { startService } from '../../support/service/service.ts'

const RULES = `${TWO_EYES}  - name: locked\n    match: { entity: rules }\n    effect: deny\n    except: user/rick\n`
const RULES_FILE = 'cairn-rules.yaml'
const OTHER_SHOP = edited('shop.git', 'x.git')

/** A clone in which somebody prepares a push. */
interface Scene {
  readonly clone: Clone
  /** Commits a document, and gives the commit. */
  readonly commit: (document: string, message?: string) => Promise<string>
  /** Writes the rules for the next commit. */
  readonly rules: (text: string | null) => Promise<void>
}

interface Way {
  readonly way: string
  readonly because?: string
  /** An administrator of the server unless it says otherwise. */
  readonly as?: string
  readonly prepare: (scene: Scene) => Promise<unknown>
}

/** Forged trailers, as Cairn writes them at the end of a message. */
const FORGED = [
  'A change',
  '',
  'Config-MD5: 0123456789abcdef0123456789abcdef',
  'Config-Time: 1795852182222',
  'Schema-Version: 139',
  'Server-Edition: x',
  'Server-Version: x',
  'Proposal: 1',
  'Approved-by: abe 0123456789abcdef',
  'Overridden-by: sue two-eyes',
].join('\n')

/** Writes the newest commit again, as if the service had written it: its two times are the same. */
async function amendAsService({ folder }: Clone): Promise<void> {
  const { stdout: written } = await runGit(folder, ['log', '-1', '--format=%ad', '--date=raw'])
  const env = {
    GIT_COMMITTER_NAME: 'Cairn',
    GIT_COMMITTER_EMAIL: 'cairn@localhost',
    GIT_COMMITTER_DATE: written.trim(),
  }
  await runGit(folder, ['commit', '--quiet', '--amend', '--no-edit'], env)
}

const WAYS: readonly Way[] = [
  { way: 'one commit', prepare: ({ commit }) => commit(OTHER_GOAL) },
  {
    way: 'one commit by an administrator of the group',
    as: 'ann',
    prepare: ({ commit }) => commit(OTHER_GOAL),
  },
  {
    way: 'several commits by an administrator of the group',
    as: 'ann',
    prepare: async ({ commit }) => {
      await commit(OTHER_GOAL)
      await commit(GUARDED)
    },
  },
  {
    way: 'rules by an administrator of the group',
    as: 'ann',
    because: 'changes "cairn-rules.yaml"',
    prepare: async ({ commit, rules }) => {
      await rules('version: 1\nrules: []\n')
      await commit(GUARDED)
    },
  },
  {
    way: 'approvals in the name of the service, of what nothing guards',
    because: 'in the name of the service',
    prepare: async ({ clone, commit }) => {
      const digest = createHash('md5').update(OTHER_SHOP).digest('hex')
      await commit(OTHER_SHOP, FORGED.replace(/(?<=Config-MD5: )\w+/, digest))
      await amendAsService(clone)
    },
  },
  {
    way: 'the last of several commits',
    prepare: async ({ commit }) => {
      await commit(OTHER_SHOP)
      await commit(edited('shop.git', 'x.git', OTHER_GOAL))
    },
  },
  {
    way: 'a commit in the middle that the next one takes back',
    prepare: async ({ commit }) => {
      await commit(OTHER_GOAL)
      await commit(OTHER_SHOP)
    },
  },
  {
    way: 'a commit that its own revert takes back',
    prepare: async ({ clone, commit }) => {
      await commit(OTHER_GOAL)
      await clone.git('revert', '--no-edit', 'HEAD')
    },
  },
  { way: 'forged trailers', prepare: ({ commit }) => commit(OTHER_GOAL, FORGED) },
  {
    way: 'forged trailers in the name of the service',
    because: 'records the digest',
    prepare: async ({ clone, commit }) => {
      await commit(OTHER_GOAL, FORGED)
      await amendAsService(clone)
    },
  },
  {
    way: 'the side of a merge',
    prepare: async ({ clone, commit }) => {
      await clone.git('checkout', '--quiet', '-b', 'side')
      await commit(OTHER_GOAL)
      await clone.git('checkout', '--quiet', '-')
      await commit(OTHER_SHOP)
      await clone.git('merge', '--quiet', '--no-edit', 'side')
    },
  },
  {
    way: 'a merge that changes what none of its sides has',
    prepare: async ({ clone, commit }) => {
      await clone.git('checkout', '--quiet', '-b', 'side')
      await commit(edited('site.git', 'y.git'))
      await clone.git('checkout', '--quiet', '-')
      await commit(OTHER_SHOP)
      await clone.git('merge', '--quiet', '--no-commit', 'side')
      await commit(edited('site.git', 'y.git', edited('shop.git', 'x.git', OTHER_GOAL)))
    },
  },
  {
    way: 'a merge that takes one side as it is',
    prepare: async ({ clone, commit }) => {
      await clone.git('checkout', '--quiet', '-b', 'side')
      await commit(OTHER_GOAL)
      await commit(GUARDED)
      await clone.git('checkout', '--quiet', '-')
      await commit(OTHER_SHOP)
      await clone.git('merge', '--quiet', '--no-edit', '-s', 'ours', 'side')
    },
  },
  {
    way: 'an octopus',
    prepare: async ({ clone, commit }) => {
      const start = (await clone.git('rev-parse', 'HEAD')).trim()
      for (const [side, document] of [
        ['a', OTHER_SHOP],
        ['b', edited('site.git', 'y.git')],
        ['c', OTHER_GOAL],
      ] as const) {
        await clone.git('checkout', '--quiet', '-b', side, start)
        await commit(document)
      }
      await clone.git('checkout', '--quiet', '-B', 'work', start)
      await clone.git('merge', '--quiet', '--no-edit', 'a', 'b', 'c')
    },
  },
  {
    way: 'a history without a document in the middle',
    because: 'config.xml',
    prepare: async ({ clone, commit }) => {
      await clone.git('rm', '--quiet', 'config.xml')
      await clone.git('commit', '--quiet', '-m', 'Away')
      await commit(OTHER_GOAL)
      await clone.git('add', 'config.xml')
      await clone.git('commit', '--quiet', '--allow-empty', '-m', 'Back')
    },
  },
  {
    way: 'a rename of the pipeline',
    prepare: ({ commit }) => commit(edited('name="bill"', 'name="bell"')),
  },
  {
    way: 'a move to another group',
    prepare: ({ commit }) => {
      const shop = pipelineText('shop')
      const bill = pipelineText('bill')
      return commit(edited(shop, bill + shop, edited(bill, '')))
    },
  },
  {
    way: 'a template of a guarded pipeline',
    prepare: ({ commit }) => commit(edited('<arg>deploy<', '<arg>steal<')),
  },
  {
    way: 'the rules in the same commit',
    prepare: async ({ commit, rules }) => {
      await rules('version: 1\nrules: []\n')
      await commit(OTHER_GOAL)
    },
  },
  {
    way: 'the rules first, in the same push',
    prepare: async ({ commit, rules }) => {
      await rules('version: 1\nrules: []\n')
      await commit(GUARDED)
      await commit(OTHER_GOAL)
    },
  },
  {
    way: 'other rules, and the same at the end',
    prepare: async ({ commit, rules }) => {
      await rules('version: 1\nrules: []\n')
      await commit(GUARDED)
      await commit(OTHER_GOAL)
      await rules(RULES)
      await commit(OTHER_GOAL)
    },
  },
  {
    way: 'no rules at all',
    because: 'The rule locked ',
    prepare: async ({ commit, rules }) => {
      await rules(null)
      await commit(GUARDED)
    },
  },
  {
    way: 'rules in other letters beside',
    prepare: async ({ clone, commit }) => {
      writeFileSync(join(clone.folder, 'Cairn-Rules.yaml'), 'version: 1\nrules: []\n')
      await clone.git('add', '.')
      await commit(OTHER_GOAL)
    },
  },
  {
    way: 'rules behind a link',
    because: 'The rule locked ',
    prepare: async ({ clone, commit }) => {
      rmSync(join(clone.folder, RULES_FILE))
      writeFileSync(join(clone.folder, 'free.yaml'), 'version: 1\nrules: []\n')
      symlinkSync('free.yaml', join(clone.folder, RULES_FILE))
      await clone.git('add', '.')
      await commit(GUARDED)
    },
  },
  {
    way: 'a commit upon an older revision, joined by a merge',
    prepare: async ({ clone, commit }) => {
      await clone.git('checkout', '--quiet', '-b', 'older', 'HEAD~1')
      await commit(OTHER_GOAL)
      await clone.git('checkout', '--quiet', '-')
      await clone.git('merge', '--quiet', '--no-edit', 'older')
    },
  },
  {
    way: 'a replaced object',
    prepare: async ({ clone, commit }) => {
      const from = await commit(OTHER_SHOP)
      const to = await commit(OTHER_GOAL)
      await clone.git('replace', to, from)
    },
  },
]

describe('a push', () => {
  const opened = shared(async () => {
    const service = await guard(await startService())
    const guarded = new GuardedService(service)
    await guarded.rules(RULES)
    const clone = new Clone()
    const urlOf = (person: string) => repositoryUrl(service.url, `${person}:p`)
    await clone.git('clone', '--quiet', urlOf('root'), '.')
    return { guarded, clone, urlOf, url: urlOf('root'), repository: service.repository }
  })
  let head = ''
  beforeAll(() => {
    head = git(opened().repository, 'rev-parse', 'main')
  })

  it.each(WAYS)(
    'does not pass with $way',
    async ({ because = 'The rule two-eyes ', as = 'root', prepare }) => {
      const { clone, repository, urlOf } = opened()
      const url = urlOf(as)
      await clone.git('checkout', '--quiet', '--force', '-B', 'work', head.trim())
      await clone.git('clean', '--quiet', '--force', '-d')
      await clone.try('branch', '-D', 'side', 'a', 'b', 'c', 'older')
      const rules = async (text: string | null) => {
        if (text === null) await clone.git('rm', '--quiet', RULES_FILE)
        else writeFileSync(join(clone.folder, RULES_FILE), text)
        await clone.git('add', '--all')
      }
      const commit = (document: string, message?: string) => clone.commit(document, message)
      await prepare({ clone, commit, rules })
      const { code, stderr } = await clone.push(url, 'HEAD:refs/heads/main')

      expect([code, stderr]).toEqual([1, expect.stringContaining(because)])
      expect(git(repository, 'rev-parse', 'main')).toBe(head)
    },
  )

  it('of refs of proposals is refused', async () => {
    const { clone, url, repository } = opened()
    await clone.git('checkout', '--quiet', '--force', '-B', 'work', head.trim())
    await clone.commit(OTHER_GOAL)
    const refs = ['proposals/1/head', 'proposals/1/meta', 'for/other', 'heads/other', 'replace/x']
    const codes: (number | null)[] = []
    for (const ref of refs) codes.push((await clone.push(url, `HEAD:refs/${ref}`)).code)

    expect(codes).toEqual(refs.map(() => 1))
    expect(git(repository, 'for-each-ref', '--format=%(refname)', 'refs/proposals')).toBe('')
  })

  it('to be proposed changes nothing but the proposal, which waits', async () => {
    const { guarded, clone, url, repository } = opened()
    await clone.git('checkout', '--quiet', '--force', '-B', 'work', head.trim())
    await clone.commit(OTHER_GOAL, FORGED)
    const { stderr } = await clone.push(url, 'HEAD:refs/for/main')
    const merged = await guarded.act('root', 1, 'merge')

    expect(stderr).toContain('missing: The rule two-eyes ')
    expect(merged.status).toBe(403)
    expect(git(repository, 'rev-parse', 'main')).toBe(head)
  })
})
