import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { History, HistoryOptions } from '../../../src/history/history.ts'
import { change, documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { eventually, expectUsernames, POLL_INTERVAL_MS, usernamesOf } from './following.ts'

/** How a history follows what git does to its branch, whatever it reads its objects with. */
export function describeNativeCommits(where: string, defaults: Partial<HistoryOptions>): void {
  describe(`a commit made with git (${where})`, () => {
    let folder: HistoryFolder
    let history: History
    beforeEach(async () => {
      folder = new HistoryFolder({ pollInterval: POLL_INTERVAL_MS, ...defaults })
      history = await folder.open()
    })
    afterEach(() => folder[Symbol.asyncDispose]())

    const expectRevisions = (...expected: string[]) => expectUsernames(history, expected)

    it('becomes a revision by its author', async () => {
      const commit = folder.commit(documentOf('native', 88))

      await expectRevisions('native', 'Upgrade')
      expect(history.current()).toMatchObject({
        commit,
        schemaVersion: 88,
        serverVersion: 'N/A',
        subject: 'By hand',
      })
      expect(folder.complaints()).toBe('')
    })

    it('that is not valid is no revision and is reported, and the next save is made upon it', async () => {
      const commit = folder.commit('<cruise\n')

      await eventually(() =>
        expect(history.problem()).toMatchObject({
          kind: 'commit',
          message: expect.stringContaining(commit),
          problems: [{ line: 2, column: 1 }],
        }),
      )
      expect(usernamesOf(history)).toEqual(['Upgrade'])
      await save(history, documentOf('saved'))
      expect(usernamesOf(history)).toEqual(['ana', 'Upgrade'])
      expect(folder.git('rev-parse', 'HEAD~1').trim()).toBe(commit)
      expect(history.problem()).toBeNull()
      expect(folder.complaints()).toBe('')
    })

    it('that removes the file is reported', async () => {
      folder.git('rm', '--quiet', 'config.xml')
      folder.git('commit', '--quiet', '-m', 'Remove')

      await eventually(() => expect(history.problem()).toMatchObject({ kind: 'commit' }))
      await save(history, documentOf('saved'))
      expect(folder.live()).toBe(documentOf('saved'))
      expect(folder.complaints()).toBe('')
    })

    it('with a plain secret is reported, and a sealed one follows it', async () => {
      folder.commit(documentOf('svn password="s3cret"'))

      await expectRevisions('Filesystem', 'native', 'Upgrade')
      expect(folder.live()).toBe(documentOf('svn encryptedPassword="sealed"'))
      expect(folder.events.some((event) => event.includes('plain secrets'))).toBe(true)
      expect(folder.complaints()).toBe('')
    })

    it('amends one of ours and changes its file: the bytes decide, not the message', async () => {
      await save(history, documentOf('two'))
      folder.write(documentOf('amended'))
      folder.git('commit', '--quiet', '--all', '--amend', '--no-edit')

      const amended = folder.git('rev-parse', 'HEAD').trim()
      await eventually(() => expect(history.current().commit).toBe(amended))
      const current = history.current()
      expect(Buffer.from(await history.readDocument(current)).toString()).toBe(
        documentOf('amended'),
      )
      expect(usernamesOf(history)).toEqual(['ana', 'Upgrade'])
    })

    it('resets the branch: what was reset is no longer in the list', async () => {
      await save(history, documentOf('two'), 'bob')
      await save(history, documentOf('three'), 'cy')

      folder.git('reset', '--quiet', '--hard', 'HEAD~2')

      await expectRevisions('Upgrade')
      await save(history, documentOf('four'), 'di')
      await expectRevisions('di', 'Upgrade')
      expect(folder.complaints()).toBe('')
    })

    it('merges a side branch: its revisions stand in the order of git log', async () => {
      folder.git('checkout', '--quiet', '-b', 'side')
      folder.git('checkout', '--quiet', 'main')
      await save(history, documentOf('two'), 'ana')
      folder.git('checkout', '--quiet', 'side')
      folder.commit(documentOf('side'))
      folder.git('checkout', '--quiet', 'main')
      folder.git('merge', '--quiet', '--strategy=ours', '-m', 'Merge', 'side')

      const commits = folder.git('log', '--date-order', '--format=%H').trim().split('\n')
      await eventually(() =>
        expect(history.list({ offset: 0, limit: 9 }).map(({ commit }) => commit)).toEqual(commits),
      )
    })

    it('resets the branch to one side of a merge: the other side is no longer in the list', async () => {
      await save(history, documentOf('two'), 'ana')
      folder.git('checkout', '--quiet', '-b', 'side', 'HEAD~1')
      const side = folder.commit(documentOf('side'))
      folder.git('checkout', '--quiet', 'main')
      folder.git('merge', '--quiet', '--strategy=ours', '-m', 'Merge', 'side')
      await eventually(() => expect(history.current().subject).toBe('Merge'))

      folder.git('reset', '--quiet', '--hard', side)

      await expectRevisions('native', 'Upgrade')
    })

    it('on another branch is followed when that branch is checked out', async () => {
      folder.git('checkout', '--quiet', '-b', 'other')
      folder.commit(documentOf('other'))
      await expectRevisions('native', 'Upgrade')

      await save(history, documentOf('saved'))

      expect(folder.git('log', '--format=%an', 'other')).toBe('ana\nnative\nUpgrade\n')
      expect(folder.git('log', '--format=%an', 'main')).toBe('Upgrade\n')
    })

    it('is made while a save is: both are kept', async () => {
      const computed = change(history, 'ana', async ({ document }) => {
        if (history.size() === 1) folder.commit(documentOf('native'))
        return Buffer.from(Buffer.from(document).toString().replace('\n</', ' saved\n</'))
      })

      await computed

      expect(usernamesOf(history)).toEqual(['ana', 'native', 'Upgrade'])
      expect(folder.live()).toBe(documentOf('native saved'))
      expect(folder.complaints()).toBe('')
    })
  })
}
