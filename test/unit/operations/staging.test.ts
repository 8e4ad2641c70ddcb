import { existsSync, mkdirSync, readdirSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStaging } from '../../../src/operations/backup/staging.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

/** Fills a folder, and tells the names that go from it, in their order. */
function watchedFolder(folder: string) {
  const gone: string[] = []
  mkdirSync(join(folder, 'trial'))
  for (let n = 0; n < 200; n += 1) writeFileSync(join(folder, 'trial', `${n}`), '')
  const watcher = watch(folder, (_, name) => {
    if (name !== null && !existsSync(join(folder, name))) gone.push(name)
  })
  return { gone, [Symbol.dispose]: () => watcher.close() }
}

describe('the folder in which a backup is made', () => {
  it('has its lock until the rest is removed, so that a kill leaves no nameless half', async () => {
    const parent = tempDir()
    const staging = await openStaging(join(parent, 'backup.tar.gz'))
    using watched = watchedFolder(staging.folder)

    await staging[Symbol.asyncDispose]()
    await until(() => watched.gone.includes('trial') && watched.gone.includes('lock'))

    expect(watched.gone.indexOf('trial')).toBeLessThan(watched.gone.indexOf('lock'))
    expect(readdirSync(parent)).toEqual([])
  })
})
