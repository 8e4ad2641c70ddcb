// @module-tag long

import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DELTA_DEPTH } from '../../../src/git/empty-repository.ts'
import { OBJECT_FORMATS } from '../../../src/core/object-name.ts'
import { type NamedObject, named } from '../../../src/git/objects/raw-object.ts'
import { packOf, writePack } from '../../../src/git/packs/write-pack.ts'
import { IsomorphicReader } from '../../../src/git/readers/isomorphic-reader.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'
import { readObjects } from '../../support/git/git.ts'
import { GitRepository } from '../../support/git/git-repository.ts'

/** More bytes than one instruction of a delta copies. */
const LARGER_THAN_A_COPY = 17_000_000

/** Bytes that hardly compress, the same at each run. */
function noise(size: number): Buffer<ArrayBuffer> {
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

/** A document with one edit after the other: where it begins, in the middle, at its end. */
function editedDocuments(): readonly Buffer<ArrayBuffer>[] {
  const documents = [noise(70_000)]
  for (const inserted of [0, 1, 126, 127, 128, 254, 255, 300, 20_000]) {
    for (const place of [0, 0.5, 1]) {
      const before = documents.at(-1) ?? noise(0)
      const at = Math.floor(before.length * place)
      const rest = before.subarray(Math.min(at + 7, before.length))
      documents.push(Buffer.concat([before.subarray(0, at), noise(inserted), rest]))
    }
  }
  const large = Buffer.alloc(LARGER_THAN_A_COPY, noise(1_000))
  return [...documents, large, Buffer.concat([large, noise(3)])]
}

async function write({ store }: GitRepository, objects: readonly NamedObject[]): Promise<void> {
  await writePack(store, await packOf(objects, store.format))
}

function indexesOf({ gitDir }: GitRepository): readonly string[] {
  const names = readdirSync(`${gitDir}/objects/pack`).filter((name) => name.endsWith('.idx'))
  return names.map((name) => `${gitDir}/objects/pack/${name}`)
}

function packFiles({ gitDir }: GitRepository): readonly string[] {
  return readdirSync(`${gitDir}/objects/pack`).map((name) => name.replace(/-[0-9a-f]+/, ''))
}

describe('writePack', () => {
  it.each(OBJECT_FORMATS)('makes a pack in which git finds every object (%s)', async (format) => {
    using repository = new GitRepository(format)
    const blobs = blobsFor(repository)

    await write(repository, blobs)

    const names = blobs.map(({ oid }) => oid)
    const found = repository.run(['cat-file', '--batch-check'], `${names.join('\n')}\n`)
    expect(found.split('\n')).toEqual(
      blobs.map(({ oid, content }) => `${oid} blob ${content.length}`),
    )
    expect(repository.fsck()).toBe('')
    expect(repository.git('verify-pack', ...indexesOf(repository))).toBe('')
    expect(repository.git('count-objects', '-v')).toMatch(/^count: 0$[^]*^garbage: 0$/m)
  })

  it.each(OBJECT_FORMATS)('keeps edited documents as deltas, exactly (%s)', async (format) => {
    using repository = new GitRepository(format)
    const contents = editedDocuments()
    const blobs = contents.map((content) =>
      named({ type: 'blob', content }, repository.store.format),
    )

    await write(repository, blobs)

    const names = blobs.map(({ oid }) => oid)
    const read = readObjects(repository.path, names)
    expect(read.map((content, n) => content.equals(contents[n] ?? Buffer.alloc(0)))).toEqual(
      contents.map(() => true),
    )
    expect(repository.fsck()).toBe('')
    const [index = ''] = indexesOf(repository)
    const chains = repository.git('verify-pack', '--stat-only', index)
    expect(chains).toContain(`chain length = ${DELTA_DEPTH}: `)
    expect(chains).not.toContain(`chain length = ${DELTA_DEPTH + 1}: `)
    const [, whole = ''] = /^non delta: (\d+) /m.exec(chains) ?? []
    expect(Number(whole)).toBeLessThan(5)
  })

  it('is read by both readers, also by one that was open before', async () => {
    using repository = new GitRepository()
    const blobs = blobsFor(repository)
    const readers = [
      await openObjectReader({ ...repository.store, path: process.env['PATH'] }),
      new IsomorphicReader(repository.store),
    ]
    for (const reader of readers) expect(await reader.findObject(blobs[0]?.oid ?? '')).toBeNull()

    await write(repository, blobs)

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

    await write(repository, [...blobs, ...blobs])
    await write(repository, blobs)

    expect(packFiles(repository).toSorted()).toEqual(['pack.idx', 'pack.pack'])
    expect(repository.fsck()).toBe('')
    expect(repository.git('count-objects', '-v')).toContain('in-pack: 12')
  })

  it('makes the folder of packs where git has none, and files that nobody writes to', async () => {
    using repository = new GitRepository()
    rmSync(`${repository.gitDir}/objects/pack`, { recursive: true })

    await write(repository, blobsFor(repository))

    const folder = `${repository.gitDir}/objects/pack`
    const modes = readdirSync(folder).map((name) => statSync(`${folder}/${name}`).mode & 0o777)
    expect(modes).toEqual([0o444, 0o444])
  })
})
