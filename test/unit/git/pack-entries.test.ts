import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { SHA1 } from '../../../src/git/object-format.ts'
import { readPack } from '../../../src/git/packs/pack-entries.ts'
import { renderPack, wholeEntry } from '../../../src/git/packs/render-pack.ts'

function total(sizes: Iterable<number>): number {
  return Array.from(sizes).reduce((sum, size) => sum + size, 0)
}

it('the objects of a pack take about as much memory as they have bytes', () => {
  const large = [0, 16_383, 16_384, 65_535, 65_536, 200_000]
  const sizes = [...large, ...Array.from({ length: 300 }, (_, n) => n)]
  const contents = sizes.map((size) => Buffer.alloc(size, `${size} `))
  const entries = contents.map((content) =>
    wholeEntry('blob', content.length, deflateSync(content)),
  )

  const read = readPack(renderPack(entries, SHA1), SHA1).map(({ content }) => content)

  expect(Buffer.concat(read).equals(Buffer.concat(contents))).toBe(true)
  const buffers = new Set(read.map(({ buffer }) => buffer))
  expect(total([...buffers].map(({ byteLength }) => byteLength))).toBeLessThan(1.5 * total(sizes))
})
