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
import { changesIn, stagedIn } from '../../support/history/whole-repository.ts'
import { GitRepository } from '../../support/git/git-repository.ts'
import { casesOf } from '../../support/programs/all-cases.ts'
import { atEnd, shared } from '../../support/programs/at-end.ts'

/** Git is a process for each of its questions: it judges every so many cuts, and the last. */
const BY_GIT = casesOf({ all: 1, mostly: 6 })
/** The live file differs from HEAD: in the work tree alone, and in the index too. */
const [CHANGED, STAGED] = [['config.xml 1 2 1'], ['config.xml 1 2 2']]

describe('a power cut while the index is written', () => {
  const prepared = shared(async () => {
    const template = new GitRepository()
    atEnd(() => template[Symbol.dispose]())
    template.commit('config.xml', 'one\n')
    writeFileSync(template.file('config.xml'), 'two\n')
    return { template, oid: template.git('hash-object', '-w', 'config.xml') }
  })

  it.each(LOSSES)('that loses %s leaves an index that git reads', async (loss) => {
    const { template, oid } = prepared()
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
      const changes = await changesIn(repository.path)
      expect(done ? [STAGED] : [CHANGED, STAGED]).toContainEqual(changes)
      const isForGit = done || outcomes.length % BY_GIT === 0
      outcomes.push(done ? outcome.value : 'failed')
      if (!isForGit) continue
      const status = changes[0] === STAGED[0] ? 'M  config.xml' : ' M config.xml'
      expect(repository.git('status', '--porcelain')).toBe(status)
    }

    expect(outcomes.length).toBeGreaterThan(5)
  })
})

/** A folder whose history goes on in time where its template has ended. */
function newFolder(): HistoryFolder {
  const defaults = { programPath: null, fs: unsyncedFs }
  return new HistoryFolder({ ...defaults, clock: () => (now += 1000) })
}
let now = 1_700_000_000_000

async function preparedBy(prepare: (folder: HistoryFolder) => void): Promise<HistoryFolder> {
  const folder = newFolder()
  atEnd(() => folder[Symbol.asyncDispose]())
  await folder.open()
  await folder.close()
  prepare(folder)
  return folder
}

/** Cuts the power after one change to the disk after the other, until a save is acknowledged. */
async function sweepOfSave(
  loss: Loss,
  prepared: HistoryFolder,
  check: (folder: HistoryFolder, isForGit: boolean) => Promise<void>,
): Promise<void> {
  for (let cutAfter = 0, isOver = false; !isOver; cutAfter += 1) {
    await using folder = newFolder()
    folder.copy(prepared)
    const fs = new FaultyFs({ cutAfter, loss })

    const saving = folder
      .open({ fs: fs.promises })
      .then((history) => save(history, documentOf('two')))
    await Promise.allSettled([saving])
    isOver = !fs.isCut
    await fs.cut()
    await folder.close()
    await check(folder, isOver || cutAfter % BY_GIT === 0)
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
  const staged = shared(() => preparedBy(stageNotes))
  const committed = shared(() => preparedBy(commitNotes))

  it.each(LOSSES)('that loses %s loses nothing that is staged', async (loss) => {
    await sweepOfSave(loss, staged(), async (folder, isForGit) => {
      await folder.open()
      expect(await stagedIn(folder.path, 'notes.txt')).toBe('staged\n')
      expect(await changesIn(folder.path)).toEqual(['notes.txt 0 2 3'])
      if (!isForGit) return
      expect(folder.git('show', ':notes.txt')).toBe('staged\n')
      expect(folder.git('status', '--porcelain')).toBe('AM notes.txt\n')
    })
  })

  it('leaves an index that the start makes anew where it is torn, and keeps those bytes', async () => {
    const torn: Buffer[] = []
    const kept: Buffer[] = []
    await sweepOfSave('content', committed(), async (folder, isForGit) => {
      const left = readFileSync(folder.file('.git/index'))
      const isTorn = !hasDigest(left)
      await folder.open()
      expect(await changesIn(folder.path)).toEqual([])
      const status = isForGit || isTorn ? folder.git('status', '--porcelain') : ''
      expect(status).toBe('')
      if (!isTorn) return
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
