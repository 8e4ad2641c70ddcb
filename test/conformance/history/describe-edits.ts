import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import nodeFs from 'node:fs/promises'
import { dirname } from 'node:path'
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { History, HistoryOptions } from '../../../src/history/history.ts'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'
import { change, documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { eventually, expectUsernames, POLL_INTERVAL_MS, usernamesOf } from './following.ts'

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

/** A file system in which something else happens as soon as a branch has moved. */
function onceBranchHasMoved(happen: () => void): FsPromises {
  let isLeft = true
  return Object.assign(Object.create(nodeFs), {
    async rename(from: string, to: string) {
      await nodeFs.rename(from, to)
      if (!isLeft || !to.includes('/refs/heads/')) return
      isLeft = false
      happen()
    },
  })
}

/** How a history follows what editors do to its live file, whatever it reads its objects with. */
export function describeEdits(where: string, defaults: Partial<HistoryOptions>): void {
  describe(`an edit of the live file (${where})`, () => {
    let folder: HistoryFolder
    let history: History
    beforeEach(async () => {
      folder = new HistoryFolder({ pollInterval: POLL_INTERVAL_MS, ...defaults })
      history = await folder.open()
    })
    afterEach(() => folder[Symbol.asyncDispose]())

    const expectRevisions = (...expected: string[]) => expectUsernames(history, expected)

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
        await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS / 10))
      }

      await expectRevisions('Filesystem', 'Upgrade')
      expect(history.problem()).toBeNull()
    })

    it('that is not valid is reported with its place, is left as it is, and changes nothing', async () => {
      folder.write('<cruise\n\n')

      await eventually(() =>
        expect(history.problem()).toMatchObject({
          kind: 'live-file',
          problems: [{ message: 'The root element is not closed', line: 3, column: 1 }],
        }),
      )
      expect(folder.live()).toBe('<cruise\n\n')
      expect(usernamesOf(history)).toEqual(['Upgrade'])
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
      expect(statSync(folder.file(aside ?? '')).mode & 0o777).toBe(0o600)
      expect(folder.events.at(-2)).toContain('is kept as')
      expect(folder.complaints()).toBe('')
    })

    it('that was set aside is removed after 30 days', async () => {
      const names = [
        '2023-10-01T00-00-00-000Z',
        '2023-10-01T00-00-00-000Z-2',
        '2023-11-01T00-00-00-000Z',
      ]
      for (const name of names) folder.write('<cruise', `config.xml.invalid-${name}`)
      folder.write('mine', 'config.xml.invalid-2020')
      history = await folder.reopen()
      folder.write(documentOf('edited'))

      await expectRevisions('Filesystem', 'Upgrade')
      await eventually(() =>
        expect(
          folder
            .names()
            .filter((name) => name.includes('invalid-'))
            .toSorted(),
        ).toEqual(['config.xml.invalid-2020', 'config.xml.invalid-2023-11-01T00-00-00-000Z']),
      )
    })

    it('is a revision before the save that finds it', async () => {
      folder.write(documentOf('edited'))

      await change(history, 'ana', async ({ document }) =>
        Buffer.from(Buffer.from(document).toString().replace('edited', 'edited and saved')),
      )

      expect(usernamesOf(history)).toEqual(['ana', 'Filesystem', 'Upgrade'])
      expect(folder.live()).toBe(documentOf('edited and saved'))
    })

    it('is a revision before the save that it overtakes', async () => {
      await change(history, 'ana', async ({ document }) => {
        if (history.size() === 1) folder.write(documentOf('edited'))
        return Buffer.from(Buffer.from(document).toString().replace('\n</', ' saved\n</'))
      })

      expect(usernamesOf(history)).toEqual(['ana', 'Filesystem', 'Upgrade'])
      expect(folder.live()).toBe(documentOf('edited saved'))
    })

    it('is a revision before the save when it comes while that is written', async () => {
      history = await folder.reopen({
        fs: whileDraftIsWritten(folder.path, () => folder.write(documentOf('edited'))),
      })
      await save(history, documentOf('saved'))

      await expectRevisions('ana', 'Filesystem', 'Upgrade')
      expect(folder.live()).toBe(documentOf('saved'))
      expect(folder.names().filter((name) => name.startsWith('.draft'))).toEqual([])
    })

    it('is a revision when it comes right after a save and is as long as what was saved', async () => {
      for (const round of [1, 2, 3]) {
        await save(history, documentOf(`saved ${round}`))
        folder.write(documentOf(`edits ${round}`))

        await save(history, documentOf(`after ${round}`))
      }

      const round = ['ana', 'Filesystem', 'ana']
      await expectRevisions(...round, ...round, ...round, 'Upgrade')
      expect(folder.complaints()).toBe('')
    })

    it('is a revision after the save when the branch has moved already', async () => {
      history = await folder.reopen({
        fs: onceBranchHasMoved(() => folder.write(documentOf('edited'))),
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

      expect(usernamesOf(history)).toEqual(['Filesystem', 'Upgrade'])
    })

    it('back to the document before is a revision like any other', async () => {
      await save(history, documentOf('two'))
      await folder.close()
      folder.git('checkout', '--quiet', 'HEAD~1', '--', 'config.xml')

      history = await folder.open()

      expect(usernamesOf(history)).toEqual(['Filesystem', 'ana', 'Upgrade'])
      expect(folder.complaints()).toBe('')
    })

    it('that removes the file is undone, and reported', async () => {
      rmSync(folder.file('config.xml'))

      await eventually(() => expect(folder.names()).toContain('config.xml'))
      expect(folder.live()).toBe(documentOf('first'))
      expect(folder.events).toContain('The live file was removed and is put back')
      expect(usernamesOf(history)).toEqual(['Upgrade'])
    })
  })
}
