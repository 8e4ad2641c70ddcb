// @module-tag long
import { describe, expect, it } from 'vitest'
import type { CommitSha } from '../../../src/core/revision.ts'
import type { ProposalStore } from '../../../src/proposals/proposal-store.ts'
import type { Proposal } from '../../../src/proposals/proposal.ts'
import { listRefsBelow } from '../../../src/git/refs.ts'
import { removeObjectDrafts } from '../../../src/git/objects/object-file.ts'
import { FaultyFs, LOSSES } from '../../support/disk/faulty-fs.ts'
import { GitRepository } from '../../support/git/git-repository.ts'
import {
  approvalBy,
  contentOf,
  openProposals,
  opening,
  updating,
} from '../../support/proposals/stored-proposals.ts'
import { casesOf } from '../../support/programs/all-cases.ts'

interface Attempt {
  readonly run: (store: ProposalStore, base: CommitSha) => Promise<unknown>
  /** The proposals before and after, in a few words. */
  readonly before: string
  readonly after: string
}

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  propose: {
    run: (store, base) => store.open(null, contentOf(base, 'three\n'), opening(base, 'Another')),
    before: 'Say more v1',
    after: 'Another v1, Say more v1',
  },
  approve: {
    run: (store) => store.add(null, 1, () => approvalBy('ben')),
    before: 'Say more v1',
    after: 'Say more v1 approve ben',
  },
  update: {
    run: (store, base) =>
      store.update(null, 1, contentOf(base, 'three\n'), (_proposal, version) =>
        updating(base)(version),
      ),
    before: 'Say more v1',
    after: 'Say more v2',
  },
  close: {
    run: (store) =>
      store.add(null, 1, () => ({ type: 'close', by: { username: 'ana' }, text: '' })),
    before: 'Say more v1',
    after: 'Say more v1 closed',
  },
}

function wordsOf({ title, newest, state, reviews }: Proposal): string {
  const reviewed = reviews.map(({ type, by }) => ` ${type} ${by.username}`).join('')
  return `${title} v${newest.version}${reviewed}${state === 'open' ? '' : ` ${state}`}`
}

describe.each(Object.entries(ATTEMPTS))('a power cut during %s', (_name, attempt) => {
  it.each(LOSSES)('that loses %s leaves it done or not begun', async (loss) => {
    using template = new GitRepository()
    const base = template.commit('config.xml', 'one\n')
    await (await openProposals(template)).open(null, contentOf(base, 'two\n'), opening(base))
    const [first, step] =
      loss === 'names' ? [0, 1] : casesOf({ all: [0, 1], mostly: [LOSSES.indexOf(loss), 5] })
    for (let cut = first, isOver = false; !isOver; cut += step) {
      using repository = new GitRepository(template)
      const disk = new FaultyFs({ cutAfter: cut, loss })
      const store = await openProposals(repository, { fs: disk.promises })

      const [{ status }] = await Promise.allSettled([attempt.run(store, base)])
      isOver = !disk.isCut
      await disk.cut()
      await removeObjectDrafts(repository.store)

      const survivor = await openProposals(repository)
      const words = (await survivor.list()).map(wordsOf).join(', ')
      const allowed = status === 'fulfilled' ? [attempt.after] : [attempt.before, attempt.after]
      expect(allowed, `${cut}`).toContain(words)
      const refs = await listRefsBelow(repository.store, 'refs/proposals/')
      for (const { number, newest } of await survivor.list()) {
        expect(refs.get(`refs/proposals/${number}/head`), `${cut}`).toBe(newest.commit)
      }
      const next = await survivor.open(null, contentOf(base, 'next\n'), opening(base, 'Next'))
      expect(next.number, `${cut}`).toBeGreaterThan(1)
      const again = await survivor.update(
        null,
        1,
        contentOf(base, 'again\n'),
        (_proposal, version) => updating(base)(version),
      )
      expect(again?.newest.version, `${cut}`).toBe(words.includes('Say more v2') ? 3 : 2)
    }
  })
})
