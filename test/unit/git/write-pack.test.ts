import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { OBJECT_FORMATS } from '../../../src/core/object-name.ts'
import { type NamedObject, named } from '../../../src/git/objects/raw-object.ts'
import { writePack } from '../../../src/git/packs/write-pack.ts'
import { IsomorphicObjects } from '../../../src/git/readers/isomorphic-objects.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'
import { GitRepository } from '../../support/git/git-repository.ts'

/** Bytes that hardly compress, the same at each run. */
function noise(size: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(size / 32) }, (_, n) =>
    createHash('sha256').update(`${n}`).digest(),
  )
  return Buffer.concat(blocks).subarray(0, size)
}

/** Blobs of sizes around those at which the header of an entry, or the way to compress, changes. */
function blobsFor({ store: { format } }: GitRepository): readonly NamedObject[] {
  const sizes = [0, 1, 15, 16, 2_047, 2_048, 262_144, 262_145]
  const contents = [...sizes.map(noise), ...Array.from({ length: 300 }, (_, n) => `text ${n}`)]
  return contents.map((content) => named({ type: 'blob', content: Buffer.from(content) }, format))
}

function packFiles({ gitDir }: GitRepository): readonly string[] {
  return readdirSync(`${gitDir}/objects/pack`).map((name) => name.replace(/-[0-9a-f]+/, ''))
}

describe('writePack', () => {
  it.each(OBJECT_FORMATS)('makes a pack in which git finds every object (%s)', async (format) => {
    using repository = new GitRepository(format)
    const blobs = blobsFor(repository)

    await writePack(repository.store, blobs, repository.store.format)

    const names = blobs.map(({ oid }) => oid)
    const found = repository.run(['cat-file', '--batch-check'], `${names.join('\n')}\n`)
    expect(found.split('\n')).toEqual(
      blobs.map(({ oid, content }) => `${oid} blob ${content.length}`),
    )
    expect(repository.fsck()).toBe('')
    const [index] = readdirSync(`${repository.gitDir}/objects/pack`).filter((name) =>
      name.endsWith('.idx'),
    )
    expect(repository.git('verify-pack', `${repository.gitDir}/objects/pack/${index}`)).toBe('')
    expect(repository.git('count-objects', '-v')).toMatch(/^count: 0$[^]*^garbage: 0$/m)
  })

  it('is read by both readers, also by one that was open before', async () => {
    using repository = new GitRepository()
    const blobs = blobsFor(repository)
    const readers = [
      await openObjectReader({ ...repository.store, path: process.env['PATH'] }),
      new IsomorphicObjects(repository.store),
    ]
    for (const reader of readers) expect(await reader.findObject(blobs[0]?.oid ?? '')).toBeNull()

    await writePack(repository.store, blobs, repository.store.format)

    for (const reader of readers) {
      for (const { oid, content } of blobs.slice(0, 20)) {
        const object = await reader.findObject(oid)
        expect(Buffer.compare(object?.content ?? Buffer.alloc(0), content)).toBe(0)
      }
      if (Symbol.asyncDispose in reader) await reader[Symbol.asyncDispose]()
    }
  })

  it('has an object once that it is given twice, and is written again without harm', async () => {
    using repository = new GitRepository()
    const blobs = blobsFor(repository).slice(0, 12)

    await writePack(repository.store, [...blobs, ...blobs], repository.store.format)
    await writePack(repository.store, blobs, repository.store.format)

    expect(packFiles(repository).toSorted()).toEqual(['pack.idx', 'pack.pack'])
    expect(repository.fsck()).toBe('')
    expect(repository.git('count-objects', '-v')).toContain('in-pack: 12')
  })

  it('makes the folder of packs where git has none, and files that nobody writes to', async () => {
    using repository = new GitRepository()
    rmSync(`${repository.gitDir}/objects/pack`, { recursive: true })

    await writePack(repository.store, blobsFor(repository), repository.store.format)

    const folder = `${repository.gitDir}/objects/pack`
    const modes = readdirSync(folder).map((name) => statSync(`${folder}/${name}`).mode & 0o777)
    expect(modes).toEqual([0o444, 0o444])
  })
})
