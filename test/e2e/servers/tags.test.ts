// @module-tag long
import { describe, expect, it } from 'vitest'
import { git } from '../../support/git/git.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { atEnd, shared } from '../../support/programs/at-end.ts'
import { openTwo } from '../../support/service/servers.ts'

describe('a tag on several servers', { tags: ['postgresql'] }, () => {
  const cluster = shared(async () => {
    const started = await PostgresCluster.start()
    atEnd(() => started[Symbol.asyncDispose]())
    return started
  })

  it('is not made, as it would be in one repository', async () => {
    const servers = await openTwo(cluster().freshSchema())
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ name: 'v1' }) }

    for (const server of servers) {
      const answer = await server.fetch('/api/config/revisions/r1/tags', init)

      expect([answer.status, await answer.text()]).toEqual([
        503,
        expect.stringContaining('Tags stay in one repository'),
      ])
      expect(git(server.repository, 'tag')).toBe('')
    }
  })
})
