import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { digestOf } from '../../../src/core/digest.ts'
import { CommitSha } from '../../../src/core/revision.ts'
import type { HistoryOptions } from '../../../src/history/history.ts'
import { change, documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'

/** Describes a history, whichever way it reads its objects. */
export function describeHistory(where: string, defaults: Partial<HistoryOptions>): void {
  describe(`history (${where})`, () => {
    let folder: HistoryFolder
    beforeEach(() => {
      folder = new HistoryFolder(defaults)
    })
    afterEach(() => folder[Symbol.asyncDispose]())

    describe('of a new repository', () => {
      it('begins with the first document, by Upgrade, on main', async () => {
        const history = await folder.open()

        expect(history.current()).toMatchObject({ username: 'Upgrade', schemaVersion: 139 })
        expect(folder.git('symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main')
        expect(folder.live()).toBe(documentOf('first'))
        expect(folder.complaints()).toBe('')
      })

      it('begins with the live file where there is one', async () => {
        folder.write(documentOf('mine', 75))

        const history = await folder.open()

        expect(history.current()).toMatchObject({ username: 'Upgrade', schemaVersion: 75 })
        expect(folder.git('show', 'main:config.xml')).toBe(documentOf('mine', 75))
      })

      it('does not begin with a live file that is not valid', async () => {
        folder.write('<cruise')

        await expect(folder.open()).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('line 1, column 1'),
        })
      })

      it('is not made among files of others', async () => {
        folder.write('x', 'notes.txt')

        await expect(folder.open()).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('notes.txt'),
        })
      })
    })

    describe('being saved', () => {
      it('keeps the exact bytes, the author and the facts where git finds them', async () => {
        const history = await folder.open()

        const { revision, isNew } = await save(history, documentOf('two', 77), 'ana maria')

        expect(isNew).toBe(true)
        expect(revision).toEqual(history.current())
        expect(folder.git('show', 'HEAD:config.xml')).toBe(documentOf('two', 77))
        expect(folder.git('log', '-1', '--format=%H %an %at')).toBe(
          `${revision.commit} ana maria ${Math.floor(revision.time / 1000)}\n`,
        )
        const format =
          '%(trailers:key=Config-MD5,valueonly)%(trailers:key=Schema-Version,valueonly)'
        expect(folder.git('log', '-1', `--format=${format}`).split(/\s+/)).toEqual([
          digestOf(Buffer.from(documentOf('two', 77))),
          '77',
          '',
        ])
        expect(folder.live()).toBe(documentOf('two', 77))
        expect(folder.complaints()).toBe('')
      })

      it('commits nothing when the document is the current one or null', async () => {
        const history = await folder.open()
        const { revision } = await save(history, documentOf('two'))

        const same = await save(history, documentOf('two'), 'bob')
        const none = await change(history, 'bob', async () => null)

        expect([same, none]).toEqual([
          { revision, isNew: false, setAside: null },
          { revision, isNew: false, setAside: null },
        ])
        expect(history.size()).toBe(2)
      })

      it('refuses a document that is not valid, and keeps everything as it is', async () => {
        const history = await folder.open()
        const before = folder.git('rev-parse', 'HEAD')

        await expect(save(history, '<cruise')).rejects.toMatchObject({
          code: 'config-invalid',
          facts: { problems: [{ line: 1, column: 1 }] },
        })

        expect(folder.git('rev-parse', 'HEAD')).toBe(before)
        expect(folder.live()).toBe(documentOf('first'))
      })

      it('keeps secrets sealed', async () => {
        const history = await folder.open()

        await save(history, documentOf('svn password="s3cret"'))

        expect(folder.live()).toBe(documentOf('svn encryptedPassword="sealed"'))
        expect(folder.git('log', '-p', '--all')).not.toContain('s3cret')
      })

      it('computes changes one after the other, each from the one before', async () => {
        const history = await folder.open()
        const add = (name: string) =>
          change(history, name, async ({ document }) =>
            Buffer.from(
              Buffer.from(document).toString().replace('\n</cruise>', ` ${name}\n</cruise>`),
            ),
          )

        await Promise.all(['a', 'b', 'c', 'd'].map(add))

        expect(folder.live()).toBe(documentOf('first a b c d'))
        expect(history.size()).toBe(5)
        expect(folder.complaints()).toBe('')
      })

      it('keeps every other file of the repository', async () => {
        folder.init()
        folder.write('hello', 'notes.txt')
        folder.git('add', 'notes.txt')
        folder.commit(documentOf('one'))
        const history = await folder.open()

        await save(history, documentOf('two'))

        expect(folder.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('config.xml\nnotes.txt\n')
        expect(folder.complaints()).toBe('')
      })
    })

    describe('being read', () => {
      it('finds every revision by digest and by commit, and gives its bytes', async () => {
        const history = await folder.open()
        const { revision } = await save(history, documentOf('two'))
        await save(history, documentOf('three'))

        expect(history.find(revision.digest)).toEqual(revision)
        expect(history.findCommit(revision.commit)).toEqual(revision)
        expect(Buffer.from(await history.readDocument(revision)).toString()).toBe(documentOf('two'))
      })

      it('finds the newest revision of a document that came back', async () => {
        const history = await folder.open()
        const [first] = history.list({ offset: 0, limit: 1 })
        await save(history, documentOf('two'))
        const { revision } = await save(history, documentOf('first'))

        expect(revision.digest).toBe(first?.digest)
        expect(history.find(revision.digest)).toEqual(revision)
      })

      it('knows nothing of digests and commits that it never had', async () => {
        const history = await folder.open()

        expect(history.find(digestOf(Buffer.from('never')))).toBeNull()
        expect(history.findCommit(CommitSha.parse('0'.repeat(40)))).toBeNull()
      })

      it('lists slices, newest first', async () => {
        const history = await folder.open()
        for (const name of ['b', 'c', 'd']) await save(history, documentOf(name), name)
        const namesIn = (offset: number, limit: number) =>
          history.list({ offset, limit }).map(({ username }) => username)

        expect(namesIn(0, 10)).toEqual(['d', 'c', 'b', 'Upgrade'])
        expect(namesIn(1, 2)).toEqual(['c', 'b'])
        expect(namesIn(3, 5)).toEqual(['Upgrade'])
        expect(namesIn(4, 5)).toEqual([])
      })

      it('is the same after it has been opened again', async () => {
        const history = await folder.open()
        await save(history, documentOf('two'), 'eve\n<admin>')
        const before = history.list({ offset: 0, limit: 10 })

        const again = await folder.reopen()

        expect(again.list({ offset: 0, limit: 10 })).toEqual(before)
        expect(before[0]?.username).toBe('eve\n<admin>')
      })
    })

    describe('being reset with git', () => {
      it('still finds what the branch had, by digest and commit, with its document', async () => {
        const history = await folder.open()
        const { revision: two } = await save(history, documentOf('two'))
        const commit = CommitSha.parse(folder.commit(documentOf('three')))
        await history.follow()
        const { digest } = history.current()

        folder.git('reset', '--quiet', '--hard', 'HEAD~2')
        await history.follow()
        folder.git('reflog', 'expire', '--expire=now', '--all')
        folder.git('gc', '--quiet', '--prune=now')

        expect(await history.findEver(two.digest)).toEqual(two)
        const three = await history.findCommitEver(commit)
        expect(three).toMatchObject({ commit, digest, username: 'native' })
        const document = three && (await history.readDocument(three))
        expect(Buffer.from(document ?? []).toString()).toBe(documentOf('three'))
        expect([history.size(), history.findCommit(commit)]).toEqual([1, null])
        expect(history.numberOf({ commit })).toBeNull()
        expect(folder.complaints()).toBe('')
      })

      it('finds what was in between when it is reset, put back, and reset further', async () => {
        const history = await folder.open()
        const { revision: two } = await save(history, documentOf('two'))
        const { revision: three } = await save(history, documentOf('three'))
        const reset = async (commit: string) => {
          folder.git('reset', '--quiet', '--hard', commit)
          await history.follow()
        }
        await reset(two.commit)
        expect(await history.findCommitEver(three.commit)).toEqual(three)
        await reset(three.commit)
        expect(history.current()).toEqual(three)

        await reset('HEAD~2')

        expect(history.size()).toBe(1)
        expect(await history.findCommitEver(three.commit)).toEqual(three)
        expect(await history.findEver(two.digest)).toEqual(two)
      })

      it('finds it also when the next start is that of another version', async () => {
        const history = await folder.open()
        const { revision: two } = await save(history, documentOf('two'))
        await folder.close()
        folder.git('reset', '--quiet', '--hard', 'HEAD~1')

        const next = await folder.open({ serverVersion: '2.0.0' })

        expect(next.size()).toBe(1)
        expect(await next.findEver(two.digest)).toEqual(two)
      })

      it('keeps no name of what is still in the branch after a merge of something older', async () => {
        const history = await folder.open()
        const first = history.current().commit
        await save(history, documentOf('two'))
        folder.git('checkout', '--quiet', '-b', 'side', first)
        folder.git('commit', '--quiet', '--allow-empty', '--message', 'On the side')
        folder.git('checkout', '--quiet', 'main')
        await history.follow()

        folder.git('merge', '--quiet', '--strategy=ours', '--message', 'Merge', 'side')
        await history.follow()

        expect(history.size()).toBe(4)
        expect(folder.git('for-each-ref', 'refs/cairn/dropped')).toBe('')
      })
    })

    it('notifies listeners of every revision', async () => {
      const history = await folder.open()
      const heard: string[] = []
      const stop = history.onRevision(({ added }) => heard.push(...added.map((r) => r.username)))

      await save(history, documentOf('two'), 'ana')
      stop()
      await save(history, documentOf('three'), 'bob')

      expect(heard).toEqual(['ana'])
    })

    it('is open in one process only', async () => {
      await folder.open()

      await expect(folder.open()).rejects.toMatchObject({ code: 'unavailable' })
    })
  })
}
