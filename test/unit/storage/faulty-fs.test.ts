import { readFile, readdir, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { FaultyFs, PowerCut } from '../../support/disk/faulty-fs.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'

describe('faulty file system', () => {
  it('fails every call after the cut', async () => {
    using temp = new TempFolder()
    const disk = new FaultyFs({ cutAfter: 1 })
    await disk.promises.writeFile(temp.file('one'), '1')

    await expect(disk.promises.writeFile(temp.file('two'), '2')).rejects.toThrow(PowerCut)
    await expect(disk.promises.readFile(temp.file('one'))).rejects.toThrow(PowerCut)
    expect(await readdir(temp.path)).toEqual(['one'])
  })

  it('keeps half of content that nobody synced', async () => {
    using temp = new TempFolder()
    const disk = new FaultyFs({ loss: 'content' })
    await disk.promises.writeFile(temp.file('one'), 'abcdef')

    await disk.cut()

    expect(await readFile(temp.file('one'), 'utf8')).toBe('abc')
  })

  it('keeps content that was synced before a rename that was not', async () => {
    using temp = new TempFolder()
    await writeFile(temp.file('one'), 'old')
    const disk = new FaultyFs({ loss: 'names' })
    const handle = await disk.promises.open(temp.file('draft'), 'wx')
    await handle.writeFile('new')
    await handle.sync()
    await handle.close()
    await disk.promises.rename(temp.file('draft'), temp.file('one'))

    await disk.cut()

    expect(await readFile(temp.file('one'), 'utf8')).toBe('old')
  })

  it('loses the content of a file renamed without a sync', async () => {
    using temp = new TempFolder()
    await writeFile(temp.file('one'), 'old')
    const disk = new FaultyFs({ loss: 'content' })
    await disk.promises.writeFile(temp.file('draft'), 'newest')
    await disk.promises.rename(temp.file('draft'), temp.file('one'))

    await disk.cut()

    expect(await readFile(temp.file('one'), 'utf8')).toBe('new')
  })

  it('brings back a removed file whose folder was not synced', async () => {
    using temp = new TempFolder()
    await writeFile(temp.file('one'), 'old')
    const disk = new FaultyFs({ loss: 'names' })
    await disk.promises.unlink(temp.file('one'))

    await disk.cut()

    expect(await readFile(temp.file('one'), 'utf8')).toBe('old')
  })

  it('keeps names once their folder was synced', async () => {
    using temp = new TempFolder()
    const disk = new FaultyFs({ loss: 'names' })
    await disk.promises.mkdir(temp.file('folder'))
    const handle = await disk.promises.open(temp.path, 'r')
    await handle.sync()
    await handle.close()
    await disk.promises.mkdir(temp.file('lost'))

    await disk.cut()

    expect(await readdir(temp.path)).toEqual(['folder'])
  })
})
