import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { removeFolder } from '../../../src/storage/folders.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

/** Writes files into a folder for a third of a second, as a git does whose starter was killed. */
const LEFT_BEHIND = `
  const { writeFileSync } = require('node:fs')
  const end = Date.now() + 333
  for (let n = 0; Date.now() < end; n += 1) {
    try { writeFileSync(process.argv[1] + '/' + n, '') } catch {}
    if (n === 100) console.log('writing')
  }`

it(
  'removes a folder in which a program that was left behind still writes',
  { tags: ['long'] },
  async () => {
    const folder = join(tempDir(), 'abandoned')
    const objects = join(folder, 'objects')
    mkdirSync(objects, { recursive: true })
    const writer = spawn(process.execPath, ['-e', LEFT_BEHIND, objects])
    onTestFinished(() => void writer.kill('SIGKILL'))
    await once(writer.stdout, 'data')

    await removeFolder(folder)

    expect(existsSync(folder)).toBe(false)
  },
)

it('has nothing to do where there is no folder', async () => {
  await expect(removeFolder(join(tempDir(), 'absent'))).resolves.toBeUndefined()
})
