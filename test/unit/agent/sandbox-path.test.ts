import { mkdirSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { resolveInside } from '../../../src/agent/host/sandbox-path.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'

function sandbox(temp: TempFolder): string {
  mkdirSync(temp.file('box/sub'), { recursive: true })
  mkdirSync(temp.file('box-beside'))
  symlinkSync('/', temp.file('box/root'))
  symlinkSync('sub', temp.file('box/alias'))
  symlinkSync('../nowhere', temp.file('box/dangling'))
  return temp.file('box')
}

describe('a path inside the working folder', () => {
  it.each([null, '.', 'sub', 'sub/../sub', 'not/yet/there', '..name', 'alias', 'alias/x'])(
    'may be %s',
    async (path) => {
      using temp = new TempFolder()

      await expect(resolveInside(sandbox(temp), path)).resolves.toContain(temp.file('box'))
    },
  )

  it.each([
    '..',
    '../box-beside',
    'sub/../../x',
    '/etc',
    'root',
    'root/etc/passwd',
    'root/no/such/place',
    'dangling',
    'dangling/x',
  ])('may not be %s', async (path) => {
    using temp = new TempFolder()

    await expect(resolveInside(sandbox(temp), path)).rejects.toThrow('not inside')
  })

  it('may not be the absolute name of the folder itself', async () => {
    using temp = new TempFolder()
    const folder = sandbox(temp)

    await expect(resolveInside(folder, folder)).rejects.toThrow('not inside')
  })
})
