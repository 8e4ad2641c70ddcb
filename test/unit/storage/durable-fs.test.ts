import nodeFs, { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { memfs } from 'memfs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { durableFs, removeDrafts, replaceFile } from '../../../src/storage/durable-fs.ts'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'
import { FaultyFs, LOSSES } from '../../support/disk/faulty-fs.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'

interface Place {
  readonly fs: FsPromises
  readonly folder: string
  remove(): void
}

function onDisk(): Place {
  const temp = new TempFolder()
  return { fs: nodeFs, folder: temp.path, remove: () => temp[Symbol.dispose]() }
}

function inMemory(): Place {
  const fs: FsPromises = Object.create(memfs({ '/work': null }).fs.promises)
  return { fs, folder: '/work', remove: () => undefined }
}

describe.each([
  ['on disk', onDisk],
  ['in memory', inMemory],
])('durable file system (%s)', (_, open) => {
  let place: Place
  let file: string
  beforeEach(() => {
    place = open()
    file = `${place.folder}/file`
  })
  afterEach(() => place.remove())

  const text = async (path: string) => Buffer.from(await place.fs.readFile(path)).toString()

  it('writes new files and replaces old ones, leaving no draft', async () => {
    const { promises } = durableFs(place.fs)

    await promises.writeFile(file, 'one')
    await promises.writeFile(file, Buffer.from('two'))

    expect(await text(file)).toBe('two')
    expect(await place.fs.readdir(place.folder)).toEqual(['file'])
  })

  it('honours an encoding given as text or as an option', async () => {
    const { promises } = durableFs(place.fs)

    await promises.writeFile(file, '6f6e65', 'hex')
    expect(await text(file)).toBe('one')
    await promises.writeFile(file, '74776f', { encoding: 'hex' })
    expect(await text(file)).toBe('two')
  })

  it('gives a file the mode that was asked for and keeps it afterwards', async () => {
    await replaceFile(file, 'key', { mode: 0o600, fs: place.fs })
    await replaceFile(file, 'other key', { fs: place.fs })

    expect((await place.fs.stat(file)).mode & 0o777).toBe(0o600)
  })

  it('says ENOENT for a folder that is not there, as isomorphic-git expects', async () => {
    const write = durableFs(place.fs).promises.writeFile(`${place.folder}/none/file`, 'one')

    await expect(write).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('makes folders, one or a chain', async () => {
    const { promises } = durableFs(place.fs)

    await promises.mkdir(`${place.folder}/one`)
    await promises.mkdir(`${place.folder}/two/three/four`, { recursive: true })
    await promises.mkdir(`${place.folder}/two/three/four`, { recursive: true })

    expect(await place.fs.readdir(`${place.folder}/two/three`)).toEqual(['four'])
    await expect(promises.mkdir(`${place.folder}/one`)).rejects.toMatchObject({ code: 'EEXIST' })
  })

  it('removes drafts that a dead writer left, and nothing else', async () => {
    await place.fs.writeFile(`${place.folder}/.draft-0123456789abcdef`, 'half')
    await place.fs.writeFile(`${place.folder}/.draft-notes`, 'mine')

    await removeDrafts(place.folder, place.fs)

    expect(await place.fs.readdir(place.folder)).toEqual(['.draft-notes'])
  })
})

describe('replaceFile', () => {
  it('leaves a file as it was, and no draft, when the new bytes cannot be written', async () => {
    using temp = new TempFolder()
    await mkdir(temp.file('file'))
    await writeFile(`${temp.file('file')}/inside`, 'one')

    await expect(replaceFile(temp.file('file'), 'two')).rejects.toMatchObject({ code: 'EISDIR' })

    expect(await readdir(temp.path)).toEqual(['file'])
  })

  it('keeps a narrow mode from the first byte on', async () => {
    using temp = new TempFolder()
    await replaceFile(temp.file('key'), 'secret', { mode: 0o600 })

    expect((await stat(temp.file('key'))).mode & 0o777).toBe(0o600)
  })
})

describe('a power cut', () => {
  it.each(LOSSES)('that loses %s leaves the old or the new file, whole', async (loss) => {
    const outcomes: string[] = []
    while (outcomes.at(-1) !== 'acknowledged') {
      using temp = new TempFolder()
      const file = temp.file('file')
      await writeFile(file, 'the old content')
      const disk = new FaultyFs({ cutAfter: outcomes.length, loss })

      const saved = replaceFile(file, 'the new content', { fs: disk.promises })
      const [{ status }] = await Promise.allSettled([saved])
      await disk.cut()

      const survived = await readFile(file, 'utf8')
      const allowed = status === 'fulfilled' ? [] : ['the old content']
      expect([...allowed, 'the new content']).toContain(survived)
      outcomes.push(status === 'fulfilled' ? 'acknowledged' : 'failed')
    }

    expect(outcomes.length).toBeGreaterThan(4)
  })

  it.each(LOSSES)('that loses %s keeps an acknowledged file in new folders', async (loss) => {
    using temp = new TempFolder()
    const disk = new FaultyFs({ loss })
    const { promises } = durableFs(disk.promises)

    await promises.mkdir(temp.file('a/b/c'), { recursive: true })
    await promises.writeFile(temp.file('a/b/c/file'), 'kept')
    await disk.cut()

    expect(await readFile(temp.file('a/b/c/file'), 'utf8')).toBe('kept')
  })
})
