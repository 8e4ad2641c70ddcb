// @module-tag long
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  removeStaleIndexLock,
  updateGitIndex,
} from '../../../src/history/repository/update-staging-index.ts'
import { FaultyFs, type Loss, LOSSES } from '../../support/disk/faulty-fs.ts'
import { unsyncedFs } from '../../support/disk/unsynced-fs.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
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

/** Cuts the power after one change to the disk after the other, until a save is acknowledged. */
async function sweepOfSave(
  loss: Loss,
  prepare: (folder: HistoryFolder) => void,
  check: (folder: HistoryFolder) => Promise<void>,
): Promise<void> {
  for (let cutAfter = 0, isOver = false; !isOver; cutAfter += 1) {
    await using folder = new HistoryFolder({ programPath: null, fs: unsyncedFs })
    await folder.open()
    await folder.close()
    prepare(folder)
    const fs = new FaultyFs({ cutAfter, loss, base: unsyncedFs })

    const saving = folder
      .open({ fs: fs.promises })
      .then((history) => save(history, documentOf('two')))
    await Promise.allSettled([saving])
    isOver = !fs.isCut
    await fs.cut()
    await folder.close()
    await check(folder)
  }
}

function stageNotes(folder: HistoryFolder): void {
  folder.write('staged\n', 'notes.txt')
  folder.git('add', 'notes.txt')
  folder.write('on disk\n', 'notes.txt')
}

function commitNotes(folder: HistoryFolder): void {
  mkdirSync(folder.file('docs'))
  folder.write('beside\n', 'docs/notes.txt')
  folder.git('add', 'docs')
  folder.git('commit', '--quiet', '--message=Notes')
}

describe('a power cut during a save', () => {
  it.each(LOSSES)('that loses %s loses nothing that is staged', async (loss) => {
    await sweepOfSave(loss, stageNotes, async (folder) => {
      await folder.open()
      expect(folder.git('show', ':notes.txt')).toBe('staged\n')
      expect(folder.git('status', '--porcelain')).toBe('AM notes.txt\n')
    })
  })

  it('leaves an index that the start makes anew where it is torn, and keeps those bytes', async () => {
    const torn: Buffer[] = []
    const kept: Buffer[] = []
    await sweepOfSave('content', commitNotes, async (folder) => {
      const left = readFileSync(folder.file('.git/index'))
      await folder.open()
      expect(folder.git('status', '--porcelain')).toBe('')
      if (hasDigest(left)) return
      torn.push(left)
      kept.push(readFileSync(folder.file('.git/cairn/torn-index')))
    })
    expect(torn.length).toBeGreaterThan(1)
    expect(kept).toEqual(torn)
  })
})

/** Git ends an index with the SHA-1 of what comes before. */
function hasDigest(index: Buffer): boolean {
  const digest = createHash('sha1').update(index.subarray(0, -20)).digest()
  return digest.equals(index.subarray(-20))
}
