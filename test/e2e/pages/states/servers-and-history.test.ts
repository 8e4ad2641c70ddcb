// @module-tag long
// @module-tag chromium

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../support/disk/temp-folder.ts'
import { git } from '../../../support/git/git.ts'
import { useBrowser } from '../../../support/pages/browser.ts'
import { SLOW, type Walk, walkOf, WITHIN } from '../../../support/pages/walk.ts'
import { PostgresCluster } from '../../../support/programs/postgres-cluster.ts'
import { SHARED_DATA } from '../../../support/programs/shared-data.ts'
import { openTwo } from '../../../support/service/servers.ts'
import { startService } from '../../../support/service/service.ts'

const chromium = useBrowser()

describe('the states of real servers fit and are accessible', SLOW, () => {
  it('with several servers, seen from each of them', { tags: ['postgresql'] }, async () => {
    await using cluster = await PostgresCluster.start()
    const servers = await openTwo(cluster.freshSchema())
    const walks: Walk[] = []
    for (const server of servers) {
      const walk = await walkOf(chromium.browser, server)
      for (const { url } of servers) {
        await expect
          .poll(async () => (await server.fetch('/servers')).text(), WITHIN)
          .toContain(url)
      }
      await walk.through({ 'servers-several': '/servers', 'servers-history': '/config' })
      walks.push(walk)
    }

    expect(walks.map((walk) => walk.wrong())).toEqual([{}, {}])
    for (const server of servers) await server.close()
  })

  it.skipIf(SHARED_DATA === null)('with the history of a real server', async () => {
    const folder = tempDir()
    const bundle = join(SHARED_DATA ?? '', 'real-config-history.bundle')
    git(folder, 'clone', '--quiet', '-b', 'master', bundle, 'config-repo')
    const walk = await walkOf(
      chromium.browser,
      await startService(['--config-file', 'cruise-config.xml'], folder),
    )

    await walk.through({
      'real-history': '/config',
      'real-current': '/config/current',
      'real-blame': '/config/current?blame=1',
      'real-compare': '/config/compare/r1/current',
      'real-pipelines': '/pipelines',
    })

    expect(walk.wrong()).toEqual({})
  })
})
