import { describe, expect, it } from 'vitest'
import type { History } from '../../../src/history/history.ts'
import { syncFs } from '../../../src/storage/sync-fs.ts'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'
import { pathOfKilledGit } from '../../support/git/killed-git.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'

function refuseNotes(path: string): void {
  if (path.includes('/notes')) throw Object.assign(new Error('refused'), { code: 'EACCES' })
}

/** A file system that lets nobody take a name away in the folder `notes`. */
function withKeptNotes(): FsPromises {
  const kept: Partial<FsPromises> = {
    unlink: async (path) => (refuseNotes(path), syncFs.unlink(path)),
    rmdir: async (path) => (refuseNotes(path), syncFs.rmdir(path)),
  }
  return Object.assign(Object.create(syncFs), kept)
}

/** Commits the changed files, and moves the branch alone to that, as a push does. */
async function commitAsPushed(folder: HistoryFolder, history: History): Promise<void> {
  folder.git('commit', '-q', '-a', '-m', 'Change the note')
  const next = folder.git('rev-parse', 'HEAD').trim()
  folder.git('reset', '-q', '--hard', 'HEAD^')
  await history.follow()
  folder.git('update-ref', 'refs/heads/main', next)
}

describe('a file beside the configuration that cannot be removed', () => {
  it.each(['is gone', 'is a link'])(
    'holds up no save after a commit in which it %s',
    async (how) => {
      await using folder = new HistoryFolder()
      folder.init()
      await syncFs.mkdir(folder.file('notes'), { recursive: true })
      folder.write('a note\n', 'notes/a.txt')
      folder.git('add', 'notes')
      folder.commit(documentOf('one'))
      const history = await folder.open({ fs: withKeptNotes() })
      folder.remove('notes/a.txt')
      if (how === 'is a link') await syncFs.symlink('b.txt', folder.file('notes/a.txt'))
      await commitAsPushed(folder, history)

      await save(history, documentOf('two'))

      expect(history.problem()).toBe(null)
      expect(folder.git('show', 'HEAD:config.xml')).toBe(documentOf('two'))
      expect(folder.read('notes/a.txt')).toBe('a note\n')
    },
  )
})

it('a file beside the configuration follows the branch where git cannot say how large it is', async () => {
  await using folder = new HistoryFolder()
  folder.init()
  folder.write('one\n', 'notes.txt')
  folder.git('add', 'notes.txt')
  folder.commit(documentOf('one'))
  const history = await folder.open({ programPath: pathOfKilledGit('--batch-check') })
  folder.write('two\n', 'notes.txt')
  await commitAsPushed(folder, history)

  await save(history, documentOf('two'))

  expect(folder.read('notes.txt')).toBe('two\n')
  expect(folder.git('status', '--porcelain')).toBe('')
})
