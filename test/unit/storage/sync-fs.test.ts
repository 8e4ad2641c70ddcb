import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { syncFs } from '../../../src/storage/sync-fs.ts'
import { syncFolder } from '../../../src/storage/sync-folder.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'

describe('the disk', () => {
  it.each([0, 1, 256 * 1024, 256 * 1024 + 1])(
    'reads a file of %i bytes as Node does',
    async (size) => {
      using temp = new TempFolder()
      writeFileSync(temp.file('file'), 'x'.repeat(size))
      symlinkSync('file', temp.file('link'))

      for (const name of ['file', 'link']) {
        const read = await syncFs.readFile(temp.file(name))
        expect(Buffer.compare(read, await nodeFs.readFile(temp.file(name)))).toBe(0)
      }
    },
  )

  it('returns facts and names as Node does', async () => {
    using temp = new TempFolder()
    writeFileSync(temp.file('file'), 'x')
    mkdirSync(temp.file('folder'))

    expect(await syncFs.readdir(temp.path)).toEqual(await nodeFs.readdir(temp.path))
    expect(await syncFs.stat(temp.file('file'))).toEqual(await nodeFs.stat(temp.file('file')))
    expect(await syncFs.lstat(temp.file('file'), { bigint: true })).toEqual(
      await nodeFs.lstat(temp.file('file'), { bigint: true }),
    )
  })

  it('fails as Node does, and only when it is awaited', async () => {
    using temp = new TempFolder()
    const attempts = [
      syncFs.readFile(temp.file('none')),
      syncFs.lstat(temp.file('none')),
      syncFs.stat(temp.file('none')),
      syncFs.readdir(temp.file('none')),
      syncFs.open(temp.file('none')),
    ]

    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(syncFs.readFile(temp.path)).rejects.toMatchObject({ code: 'EISDIR' })
  })

  it('looks without a turn of the event loop', async () => {
    using temp = new TempFolder()
    writeFileSync(temp.file('file'), 'x')
    let isOver = false
    setImmediate(() => (isOver = true))

    await syncFs.stat(temp.file('file'))
    await syncFs.lstat(temp.file('file'))
    await syncFs.readdir(temp.path)
    await syncFs.readFile(temp.file('file'))

    expect(isOver).toBe(false)
  })

  it('syncs a folder, and writes files as Node does', async () => {
    using temp = new TempFolder()
    const handle = await syncFs.open(temp.file('file'), 'wx')
    await handle.writeFile('one')
    await handle.sync()
    await handle.close()

    await syncFolder(syncFs, temp.path)

    expect(await nodeFs.readFile(temp.file('file'), 'utf8')).toBe('one')
  })
})
