// @module-tag long
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { atEnd, shared } from '../../support/programs/at-end.ts'
import { until } from '../../support/programs/until.ts'
import { openTwo } from '../../support/service/servers.ts'
import { save } from '../../support/service/saving.ts'
import type { TestService } from '../../support/service/service.ts'

const RULES = `version: 1
rules:
  - name: frozen
    match: { entity: pipeline/* }
    effect: deny
`
const TIMEOUT_MS = 60_000

async function documentAt(server: TestService): Promise<string> {
  return (await server.fetch('/api/admin/config.xml')).text()
}

describe('a rule on several servers', { tags: ['postgresql'] }, () => {
  const cluster = shared(async () => {
    const started = await PostgresCluster.start()
    atEnd(() => started[Symbol.asyncDispose]())
    return started
  })

  it(
    'holds at one that has not heard of it yet, and while the database is away',
    { timeout: 180_000 },
    async () => {
      const [leader, follower] = await openTwo(cluster().freshSchema())
      expect((await save(leader, documentWith('a'))).status).toBe(200)
      await until(async () => (await documentAt(follower)) === documentWith('a'), TIMEOUT_MS)
      const headers = { 'if-none-match': '*' }
      const put = { method: 'PUT', headers, body: RULES }
      expect((await leader.fetch('/api/admin/rules.yaml', put)).status).toBe(200)

      const behind = await save(follower, documentWith('b'))
      expect([behind.status, await behind.text()]).toEqual([
        403,
        expect.stringContaining('The rule frozen '),
      ])

      await cluster().stop()
      for (const server of [leader, follower]) {
        expect((await save(server, documentWith('b'))).status).toBe(503)
        expect(await documentAt(server)).toBe(documentWith('a'))
      }
      await cluster().startAgain()
      for (const server of [leader, follower]) {
        await until(async () => (await save(server, documentWith('b'))).status === 403, TIMEOUT_MS)
        expect(await documentAt(server)).toBe(documentWith('a'))
      }
    },
  )
})
