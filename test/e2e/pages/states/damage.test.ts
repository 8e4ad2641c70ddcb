// @module-tag long
// @module-tag chromium

import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../support/disk/temp-folder.ts'
import { git } from '../../../support/git/git.ts'
import { MADE, NINJA } from '../../../support/history/small-history.ts'
import { useBrowser } from '../../../support/pages/browser.ts'
import { SLOW, walkOf } from '../../../support/pages/walk.ts'
import { saveRevisions } from '../../../support/service/saved-revisions.ts'
import { startService } from '../../../support/service/service.ts'

/** A history of the original's, whose second revision is no XML. */
function historyWithGarbage(): string {
  const folder = tempDir()
  const repository = join(folder, 'config-repo')
  mkdirSync(repository)
  git(repository, 'init', '--quiet', '--initial-branch=main')
  for (const document of [MADE, MADE.replace('</cruise>', '<cruise'), NINJA]) {
    const md5 = createHash('md5').update(document).digest('hex')
    const facts = 'user:ana|timestamp:1450718883389|schema_version:75'
    writeFileSync(join(repository, 'config.xml'), document)
    git(repository, 'add', '.')
    const message = `${facts}|go_edition:OpenSource|go_version:14.3.0|md5:${md5}`
    git(repository, 'commit', '--quiet', '--message', message)
  }
  return folder
}

const chromium = useBrowser()

describe('pages of what cannot be read fit and are accessible', SLOW, () => {
  it('where a text of the past is no XML', async () => {
    const walk = await walkOf(chromium.browser, await startService([], historyWithGarbage()))

    await walk.through({
      'garbage-history': '/config',
      'garbage-compare': '/config/compare/r1/r2',
      'garbage-back': '/config/compare/r2/r3',
      'garbage-snapshot': '/config/r2',
      'garbage-restore': '/config/r2/restore',
    })

    expect(walk.wrong()).toEqual({})
  })

  it('while the file on disk is not valid, and while the repository is away', async () => {
    const service = await startService(['--poll-interval', '100ms'])
    await saveRevisions(service, MADE, NINJA)
    const file = join(service.repository, 'config.xml')
    writeFileSync(file, NINJA.replace('<exec command="ninja" />', '<exec />'))
    const isShown = async () => (await service.fetch('/config')).text()
    await expect.poll(isShown).toContain('the file on disk is not valid')
    const walk = await walkOf(chromium.browser, service)

    const pages = ['/config', '/config/edit', '/config/live', '/agents', '/audit', '/problems']
    for (const path of pages) {
      await walk.at(`invalid${path.replaceAll('/', '-')}`, path)
      const said = walk.page.getByText(/file (on disk )?is not valid/)
      await expect.poll(async () => [path, await said.count()]).not.toEqual([path, 0])
    }
    await walk.at('invalid-missing', '/config/r99', 404)
    renameSync(join(service.repository, '.git'), join(service.folder, 'away'))
    const isAway = async () => (await service.fetch('/config/compare/r1/r2')).status
    await expect.poll(isAway).toBe(503)
    await walk.at('unavailable', '/config/compare/r1/r2', 503)

    expect(walk.wrong()).toEqual({})
  })
})
