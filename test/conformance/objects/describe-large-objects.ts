import { describe, expect, it } from 'vitest'
import type { ObjectFormatName } from '../../../src/core/object-name.ts'
import { CommitSha } from '../../../src/core/revision.ts'
import type { ObjectReader } from '../../../src/git/objects/object-reader.ts'
import { describeNoFile } from '../../../src/git/objects/tree-walk.ts'
import { commitOfZeroes } from '../../support/disk/zeroes.ts'
import type { GitRepository } from '../../support/git/git-repository.ts'
import { fileText, type OpenReader, readEach } from './reading.ts'

/** Describes how a reader of the objects of a repository meets files that are too large. */
export function describeLargeObjects(
  kind: string,
  open: OpenReader,
  objectFormat: ObjectFormatName = 'sha1',
): void {
  describe(`large objects (${kind})`, () => {
    let repository: GitRepository
    let reader: ObjectReader
    readEach(open, objectFormat, (opened, readBy) => {
      repository = opened
      reader = readBy
    })

    const textAt = (commit: CommitSha) => fileText(reader, commit)

    it('are not read, and what was asked beside them is', async () => {
      const small = repository.commit('config.xml', 'small\n')
      const large = CommitSha.parse(commitOfZeroes(repository.path, 100_000_000))
      const before = process.memoryUsage.rss()

      const found = await Promise.all([small, large, small].map((commit) => textAt(commit)))

      expect(found.map((text) => text?.slice(0, 9))).toEqual(['small\n', undefined, 'small\n'])
      expect(await describeNoFile(reader, { commit: large, path: 'config.xml' })).toBe(
        'a file of 100000000 bytes (at most 67108864 are read)',
      )
      const blob = repository.git('rev-parse', `${large}:config.xml`)
      await expect(reader.findObject(blob)).rejects.toThrow('has 100000000 bytes')
      expect(process.memoryUsage.rss() - before).toBeLessThan(60_000_000)
      expect(await textAt(small)).toBe('small\n')
    })

    it('are not read in a pack either, also where a change is small', async () => {
      const small = repository.commit('config.xml', 'small\n')
      const sizes = [100_000_000, 100_000_001]
      const large = sizes.map((size) => CommitSha.parse(commitOfZeroes(repository.path, size)))
      for (const [n, commit] of large.entries()) repository.git('tag', `large-${n}`, commit)
      repository.git('repack', '-a', '-d', '--quiet')
      reader.renew()
      const before = process.memoryUsage.rss()

      const found = await Promise.all([small, ...large, small].map((commit) => textAt(commit)))

      expect(found).toEqual(['small\n', null, null, 'small\n'])
      for (const commit of large) {
        expect(await describeNoFile(reader, { commit, path: 'config.xml' })).toMatch(
          /^a file of 10000000[01] bytes \(at most 67108864 are read\)$/,
        )
      }
      expect(process.memoryUsage.rss() - before).toBeLessThan(60_000_000)
    })
  })
}
