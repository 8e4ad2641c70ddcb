import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  removeStaleIndexLock,
  updateGitIndex,
} from '../../../src/history/repository/update-staging-index.ts'
import { FaultyFs, LOSSES } from '../../support/disk/faulty-fs.ts'
import { GitRepository } from '../../support/git/git-repository.ts'

describe('a power cut while the index is written', () => {
  it.each(LOSSES)('that loses %s leaves an index that git reads', async (loss) => {
    using template = new GitRepository()
    template.commit('config.xml', 'one\n')
    writeFileSync(template.file('config.xml'), 'two\n')
    const oid = template.git('hash-object', '-w', 'config.xml')
    const outcomes: string[] = []
    while (outcomes.at(-1) !== 'updated') {
      using repository = new GitRepository(template)
      const disk = new FaultyFs({ cutAfter: outcomes.length, loss })
      const store = { ...repository.store, fs: disk.promises }

      const update = { workTree: repository.path, path: 'config.xml', oid, isExecutable: false }
      const [outcome] = await Promise.allSettled([updateGitIndex(store, update)])
      await disk.cut()
      await removeStaleIndexLock(repository.store)

      const done = outcome.status === 'fulfilled'
      const status = repository.git('status', '--porcelain')
      expect(done ? ['M  config.xml'] : [' M config.xml', 'M  config.xml']).toContain(status)
      outcomes.push(done ? outcome.value : 'failed')
    }

    expect(outcomes.length).toBeGreaterThan(5)
  })
})
