import { renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { History, HistoryOptions } from '../../../src/history/history.ts'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'
import { documentOf, HistoryFolder, save } from '../../support/history-folder.ts'

const POLL = 1000

/** Others are followed soon, but not at once. */
function eventually<Result>(check: () => Result): Promise<Result> {
  return vi.waitFor(check, { timeout: 10_000 })
}

/** A file system during whose first draft in a folder something else happens. */
function whileDraftIsWritten(folder: string, happen: () => void): FsPromises {
  let isLeft = true
  return Object.assign(Object.create(nodeFs), {
    open(path: string, flags?: string, mode?: number) {
      if (isLeft && flags === 'wx' && dirname(path) === folder) {
        isLeft = false
        happen()
      }
      return nodeFs.open(path, flags, mode)
    },
  })
}

/** How a history follows what editors and git do beside it, whatever it reads its objects with. */
export function describeFollowing(where: string, defaults: Partial<HistoryOptions>): void {
  describe(`history beside others (${where})`, () => {
    let folder: HistoryFolder
    let history: History
    beforeEach(async () => {
      folder = new HistoryFolder({ pollInterval: POLL, ...defaults })
      history = await folder.open()
    })
    afterEach(() => folder[Symbol.asyncDispose]())

    function usernames(): string[] {
      return history.list({ offset: 0, limit: 100 }).map(({ username }) => username)
    }

    async function expectRevisions(...expected: string[]): Promise<void> {
      await eventually(() => expect(usernames()).toEqual(expected))
    }

    describe('an edit of the live file', () => {
      it('becomes a revision by Filesystem', async () => {
        folder.write(documentOf('edited'))

        await expectRevisions('Filesystem', 'Upgrade')
        expect(folder.git('show', 'HEAD:config.xml')).toBe(documentOf('edited'))
        expect(folder.complaints()).toBe('')
      })

      it('is seen again after it came by a rename', async () => {
        for (const name of ['one', 'two']) {
          writeFileSync(folder.file('.config.xml.swp'), documentOf(name))
          renameSync(folder.file('.config.xml.swp'), folder.file('config.xml'))
          await eventually(() => expect(folder.git('show', 'HEAD:config.xml')).toContain(name))
        }

        await expectRevisions('Filesystem', 'Filesystem', 'Upgrade')
      })

      it('is not taken while only half of it is written', async () => {
        const document = documentOf('long'.repeat(50))
        for (const length of [10, 50, 100, document.length]) {
          folder.write(document.slice(0, length))
          await new Promise((resolve) => setTimeout(resolve, POLL / 10))
        }

        await expectRevisions('Filesystem', 'Upgrade')
        expect(history.problem()).toBeNull()
      })

      it('that is not valid is told with its place, is left as it is, and changes nothing', async () => {
        folder.write('<cruise\n\n')

        await eventually(() =>
          expect(history.problem()).toMatchObject({
            kind: 'live-file',
            problems: [{ message: 'The root element is not closed', line: 3, column: 1 }],
          }),
        )
        expect(folder.live()).toBe('<cruise\n\n')
        expect(usernames()).toEqual(['Upgrade'])
      })

      it('that is not valid is looked at again when it changes', async () => {
        folder.write('<cruise')
        await eventually(() => expect(history.problem()).not.toBeNull())

        folder.write(documentOf('repaired'))

        await expectRevisions('Filesystem', 'Upgrade')
        await eventually(() => expect(history.problem()).toBeNull())
      })

      it('that is not valid is set aside by the next save', async () => {
        folder.write('<cruise')
        await eventually(() => expect(history.problem()).not.toBeNull())

        await save(history, documentOf('saved'))

        expect(folder.live()).toBe(documentOf('saved'))
        expect(history.problem()).toBeNull()
        const [aside] = folder.names().filter((name) => name.startsWith('config.xml.invalid-'))
        expect(folder.read(aside ?? '')).toBe('<cruise')
        expect(folder.events.at(-2)).toContain('is kept as')
        expect(folder.complaints()).toBe('')
      })

      it('is a revision before the save that finds it', async () => {
        folder.write(documentOf('edited'))

        await history.change('ana', async ({ document }) =>
          Buffer.from(Buffer.from(document).toString().replace('edited', 'edited and saved')),
        )

        expect(usernames()).toEqual(['ana', 'Filesystem', 'Upgrade'])
        expect(folder.live()).toBe(documentOf('edited and saved'))
      })

      it('is a revision before the save that it overtakes', async () => {
        await history.change('ana', async ({ document }) => {
          if (history.size() === 1) folder.write(documentOf('edited'))
          return Buffer.from(Buffer.from(document).toString().replace('\n</', ' saved\n</'))
        })

        expect(usernames()).toEqual(['ana', 'Filesystem', 'Upgrade'])
        expect(folder.live()).toBe(documentOf('edited saved'))
      })

      it('is a revision when it comes while the save writes the live file', async () => {
        history = await folder.reopen({
          fs: whileDraftIsWritten(folder.path, () => folder.write(documentOf('edited'))),
        })
        await save(history, documentOf('saved'))

        await expectRevisions('Filesystem', 'ana', 'Upgrade')
        expect(folder.live()).toBe(documentOf('edited'))
      })

      it('is a revision when it comes while the live file follows git', async () => {
        history = await folder.reopen({
          fs: whileDraftIsWritten(folder.path, () => folder.write(documentOf('edited'))),
        })
        const old = folder.live()
        const commit = folder.commit(documentOf('by hand'))
        folder.write(old)

        await expectRevisions('Filesystem', 'native', 'Upgrade')
        expect(folder.git('rev-parse', 'HEAD~1').trim()).toBe(commit)
        expect(folder.live()).toBe(documentOf('edited'))
      })

      it('with a plain secret is sealed on disk and in git', async () => {
        folder.write(documentOf('svn password="s3cret"'))

        await expectRevisions('Filesystem', 'Upgrade')
        expect(folder.live()).toBe(documentOf('svn encryptedPassword="sealed"'))
        expect(folder.git('log', '-p', '--all')).not.toContain('s3cret')
        expect(folder.complaints()).toBe('')
      })

      it('while the service is stopped becomes a revision at the next start', async () => {
        await folder.close()
        folder.write(documentOf('edited'))

        history = await folder.open()

        expect(usernames()).toEqual(['Filesystem', 'Upgrade'])
      })

      it('back to the document before is a revision like any other', async () => {
        await save(history, documentOf('two'))
        await folder.close()
        folder.git('checkout', '--quiet', 'HEAD~1', '--', 'config.xml')

        history = await folder.open()

        expect(usernames()).toEqual(['Filesystem', 'ana', 'Upgrade'])
        expect(folder.complaints()).toBe('')
      })

      it('that removes the file is undone, and told', async () => {
        rmSync(folder.file('config.xml'))

        await eventually(() => expect(folder.names()).toContain('config.xml'))
        expect(folder.live()).toBe(documentOf('first'))
        expect(folder.events).toContain('The live file was removed and is put back')
        expect(usernames()).toEqual(['Upgrade'])
      })
    })

    describe('a commit made with git', () => {
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

      it('that is not valid is no revision and is told, and the next save is made upon it', async () => {
        const commit = folder.commit('<cruise\n')

        await eventually(() =>
          expect(history.problem()).toMatchObject({
            kind: 'commit',
            message: expect.stringContaining(commit),
            problems: [{ line: 2, column: 1 }],
          }),
        )
        expect(usernames()).toEqual(['Upgrade'])
        await save(history, documentOf('saved'))
        expect(usernames()).toEqual(['ana', 'Upgrade'])
        expect(folder.git('rev-parse', 'HEAD~1').trim()).toBe(commit)
        expect(history.problem()).toBeNull()
        expect(folder.complaints()).toBe('')
      })

      it('that removes the file is told', async () => {
        folder.git('rm', '--quiet', 'config.xml')
        folder.git('commit', '--quiet', '-m', 'Remove')

        await eventually(() => expect(history.problem()).toMatchObject({ kind: 'commit' }))
        await save(history, documentOf('saved'))
        expect(folder.live()).toBe(documentOf('saved'))
        expect(folder.complaints()).toBe('')
      })

      it('with a plain secret is told, and a sealed one follows it', async () => {
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

        await eventually(() =>
          expect(folder.git('rev-parse', 'HEAD').trim()).toBe(history.current().commit),
        )
        const current = history.current()
        expect(Buffer.from(await history.readDocument(current)).toString()).toBe(
          documentOf('amended'),
        )
        expect(usernames()).toEqual(['ana', 'Upgrade'])
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
          expect(history.list({ offset: 0, limit: 9 }).map(({ commit }) => commit)).toEqual(
            commits,
          ),
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
        const computed = history.change('ana', async ({ document }) => {
          if (history.size() === 1) folder.commit(documentOf('native'))
          return Buffer.from(Buffer.from(document).toString().replace('\n</', ' saved\n</'))
        })

        await computed

        expect(usernames()).toEqual(['ana', 'native', 'Upgrade'])
        expect(folder.live()).toBe(documentOf('native saved'))
        expect(folder.complaints()).toBe('')
      })
    })

    describe('a repository in no state to be written to', () => {
      it('serves what it knows and refuses changes while no branch is checked out', async () => {
        folder.git('checkout', '--quiet', '--detach')

        await expect(save(history, documentOf('two'))).rejects.toMatchObject({
          code: 'unavailable',
        })

        await eventually(() => expect(history.problem()).toMatchObject({ kind: 'repository' }))
        expect(usernames()).toEqual(['Upgrade'])
        folder.git('checkout', '--quiet', 'main')
        await eventually(() => expect(history.problem()).toBeNull())
        await save(history, documentOf('two'))
      })

      it('never takes a damaged branch for an empty one', async () => {
        truncateSync(folder.file('.git/refs/heads/main'))

        await expect(save(history, documentOf('two'))).rejects.toMatchObject({
          code: 'unavailable',
        })

        expect(usernames()).toEqual(['Upgrade'])
        expect(folder.read('.git/refs/heads/main')).toBe('')
      })

      it('never begins anew where the branch is gone', async () => {
        await save(history, documentOf('two'))
        await folder.close()
        rmSync(folder.file('.git/refs/heads/main'))
        rmSync(folder.file('.git/cairn'), { recursive: true })

        await expect(folder.open()).rejects.toMatchObject({ code: 'unavailable' })
      })

      it('is opened all the same while the index knows its revisions', async () => {
        await folder.close()
        truncateSync(folder.file('.git/refs/heads/main'))

        history = await folder.open()

        expect(usernames()).toEqual(['Upgrade'])
        expect(history.problem()).toMatchObject({ kind: 'repository' })
        await expect(save(history, documentOf('two'))).rejects.toMatchObject({
          code: 'unavailable',
        })
      })
    })
  })
}
