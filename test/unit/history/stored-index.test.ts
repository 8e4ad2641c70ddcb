import { describe, expect, it } from 'vitest'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'
import { syncFs } from '../../../src/storage/sync-fs.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'

const OWN = '.git/cairn'

/** A file system without room in the folder of the service, as long as it is full. */
function fillable() {
  const disk = { isFull: false }
  const open: FsPromises['open'] = async (path, flags, mode) => {
    const handle = await syncFs.open(path, flags, mode)
    const writeFile: typeof handle.writeFile = async (data) => {
      if (!disk.isFull || !path.includes(OWN)) return handle.writeFile(data)
      await handle.writeFile(data.slice(0, 1))
      throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    }
    return { ...handle, writeFile }
  }
  const fs: FsPromises = Object.assign(Object.create(syncFs), { open })
  return { disk, fs }
}

describe('the list of revisions on a full disk', () => {
  it('leaves nothing behind and is reported once, however often it is tried', async () => {
    await using folder = new HistoryFolder()
    const { disk, fs } = fillable()
    const history = await folder.open({ fs })
    const names = () => syncFs.readdir(folder.file(OWN))
    const before = await names()

    disk.isFull = true
    await save(history, documentOf('two'))
    for (let look = 0; look < 3; look += 1) await history.follow()

    expect(await names()).toEqual(before)
    const problem = 'The index cannot be stored'
    expect(folder.events.filter((event) => event === problem)).toHaveLength(1)
    disk.isFull = false
    await history.follow()
    disk.isFull = true
    await save(history, documentOf('three'))
    expect(folder.events.filter((event) => event === problem)).toHaveLength(2)
  })
})
