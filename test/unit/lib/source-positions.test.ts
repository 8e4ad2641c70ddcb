import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { SourcePositions } from '../../../src/lib/source-positions.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

/** A build with one file: its second line is of no source. */
function aBuild(): string {
  const folder = tempDir()
  const map = { version: 3, sources: ['src/one.ts'], names: [], mappings: 'AAAA;A;AAAA' }
  const maps = brotliCompressSync(JSON.stringify({ 'one.js': map }))
  writeFileSync(join(folder, 'source-positions.json.br'), maps)
  return folder
}

it('names the source of a position, and leaves one that the build has added as it is', () => {
  const folder = aBuild()
  const positions = new SourcePositions(folder)
  const file = pathToFileURL(join(folder, 'one.js')).href

  expect(positions.name(`${file}:1:1`)).toBe(`${join(folder, '..', 'src/one.ts')}:1:1`)
  expect(positions.name(`${file}:2:1`)).toBe(`${file}:2:1`)
})
