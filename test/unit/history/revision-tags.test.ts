import { EventEmitter, once } from 'node:events'
import { expect, it } from 'vitest'
import type { RawObjectReader } from '../../../src/git/objects/raw-object.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'
import { RevisionTags } from '../../../src/history/tags/revision-tags.ts'
import { WriterQueue } from '../../../src/storage/writer-queue.ts'
import { GitRepository } from '../../support/git/git-repository.ts'

it('tags of a look that took long do not replace those of a later look', async () => {
  using repository = new GitRepository()
  const commit = repository.commit('config.xml', 'one\n')
  repository.git('tag', 'early')
  const { gitDir } = repository
  await using objects = await openObjectReader({
    fs: repository.store.fs,
    gitDir,
    path: undefined,
  })
  const steps = new EventEmitter()
  const begun = once(steps, 'begun')
  let looks = 0
  const reader: RawObjectReader = {
    format: objects.format,
    findObject: async (name) => {
      looks += 1
      if (looks === 1) {
        steps.emit('begun')
        await once(steps, 'answer')
      }
      return objects.findObject(name)
    },
  }
  const queue = new WriterQueue()
  const tags = new RevisionTags({ gitDir, reader, git: null, queue, isShared: false })

  const slow = tags.refresh()
  await begun
  repository.git('tag', '-d', 'early')
  repository.git('tag', 'late')
  await tags.refresh()
  steps.emit('answer')
  await slow

  expect([tags.find('early'), tags.find('late')]).toEqual([null, commit])
})
