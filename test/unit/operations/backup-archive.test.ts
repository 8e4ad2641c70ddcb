import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { digestArchive, writeArchive } from '../../../src/operations/backup/archive.ts'
import { ARTIFACTS, MANIFEST, PARTS } from '../../../src/operations/backup/manifest.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const MANY = 100

it('is written to its end in whatever order a busy system answers about the files', async () => {
  const folder = tempDir()
  const artifacts = join(folder, ARTIFACTS)
  mkdirSync(artifacts)
  for (const name of ['empty-1', 'empty-2', 'empty-3', 'empty-4', 'empty-5']) {
    writeFileSync(join(artifacts, name), '')
  }
  writeFileSync(join(artifacts, 'report.txt'), 'all passed\n')
  const names = [MANIFEST, ...Object.values(PARTS)]
  for (const name of names) writeFileSync(join(folder, name), name)
  const files = Array.from({ length: MANY }, (_, n) => join(folder, `${n}.tar.gz`))

  // As many at once make the system answer about the files of each in another order.
  await Promise.all(files.map((archive) => writeArchive({ archive, folder, names, artifacts })))

  const parts = await Promise.all(files.map(digestArchive))
  expect(parts.map((each) => each.length)).toEqual(files.map(() => Object.values(PARTS).length))
})
