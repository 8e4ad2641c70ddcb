import { randomBytes } from 'node:crypto'
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { zipOf } from '../../../src/builds/artifacts/listing.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

/** How often this process has a file open. */
function openings(file: string): number {
  const links = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(join('/proc/self/fd', descriptor))
    } catch {
      return null
    }
  })
  return links.filter((link) => link === file).length
}

it('a zip whose reader goes away at once leaves no file open', async () => {
  const root = tempDir()
  const size = 2 ** 21
  const file = join(root, 'large.bin')
  writeFileSync(file, randomBytes(size))
  const files = [{ file: { path: 'large.bin', size }, name: 'large.bin' }]

  for (let n = 0; n < 20; n += 1) (await zipOf(root, files)).destroy()
  const whole = await buffer(await zipOf(root, files))
  await until(() => openings(file) === 0, 5_000)

  expect(whole.length).toBeGreaterThan(size)
})
