// @module-tag long
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DROPPED } from '../../../src/history/dropped/dropped-refs.ts'
import { FaultyFs, LOSSES } from '../../support/disk/faulty-fs.ts'
import { unsyncedFs } from '../../support/disk/unsynced-fs.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { changesIn, faultsIn } from '../../support/history/whole-repository.ts'
import { atEnd, shared } from '../../support/programs/at-end.ts'

const OPTIONS = { programPath: null, fs: unsyncedFs }
/** Git is a process for each of its questions: it judges every so many cuts. */
const BY_GIT = 6

describe('a power cut while a start follows a reset', () => {
  const prepared = shared(async () => {
    const folder = new HistoryFolder(OPTIONS)
    atEnd(() => folder[Symbol.asyncDispose]())
    const { revision } = await save(await folder.open(), documentOf('two'))
    await folder.close()
    folder.git('reset', '--quiet', '--hard', 'HEAD~1')
    return { folder, revision }
  })

  it.each(LOSSES)('that loses %s leaves what was reset readable', async (loss) => {
    const names: string[][] = []
    for (let isOver = false; !isOver;) {
      await using folder = new HistoryFolder(OPTIONS)
      const { revision } = prepared()
      folder.copy(prepared().folder)
      const disk = new FaultyFs({ cutAfter: names.length, loss })

      await Promise.allSettled([folder.open({ fs: disk.promises })])
      isOver = !disk.isCut
      await disk.cut()
      await folder.close()

      const survivor = await folder.open()
      const found = await survivor.findEver(revision.digest)
      expect(found, `${names.length}`).toEqual(revision)
      const document = await survivor.readDocument(revision)
      expect(Buffer.from(document).toString()).toBe(documentOf('two'))
      expect(survivor.size()).toBe(1)
      expect(await changesIn(folder.path)).toEqual([])
      expect(await faultsIn(folder.path)).toEqual([])
      const isForGit = isOver || names.length % BY_GIT === 0
      expect(isForGit ? folder.complaints() : '').toBe('')
      names.push(readdirSync(folder.file(`.git/${DROPPED}`)))
    }

    expect(new Set(names.flat()).size).toBe(1)
    expect(names.length).toBeGreaterThan(10)
  })
})
