// @module-tag long
import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../../src/wire/health-body.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { atEnd, shared } from '../../support/programs/at-end.ts'
import { addSomeoneTo, openTwo } from '../../support/service/servers.ts'
import { SOMEONE } from '../../support/service/someone-else.ts'
import type { TestService } from '../../support/service/service.ts'

const RULES = `version: 1
rules:
  - name: frozen
    match: { entity: pipeline/* }
    effect: deny
    override: { by: admins }
`
const TIMEOUT_MS = 20_000

async function overridesAt(server: TestService): Promise<readonly string[]> {
  const { problems } = HealthBody.parse(await (await server.fetch('/health')).json())
  return problems.map(({ subject }) => subject).filter((subject) => subject.includes('override'))
}

describe('overrides of rules on several servers', { tags: ['postgresql'] }, () => {
  const cluster = shared(async () => {
    const started = await PostgresCluster.start()
    atEnd(() => started[Symbol.asyncDispose]())
    return started
  })

  it('are known and acknowledged at each of them', { timeout: 120_000 }, async () => {
    const database = cluster().freshSchema()
    const servers = await openTwo(database)
    const [leader, follower] = servers
    await addSomeoneTo(database, servers)
    const headers = { 'if-none-match': '*' }
    const put = await leader.fetch('/api/admin/rules.yaml', { method: 'PUT', headers, body: RULES })
    expect(await put.text()).toContain('saved')

    const saved = await follower.fetch('/api/admin/config.xml', {
      method: 'PUT',
      headers: { 'if-match': '*', 'x-cairn-override': 'frozen' },
      body: documentWith('a'),
      as: SOMEONE,
    })
    expect(saved.status).toBe(200)

    for (const server of servers)
      await expect
        .poll(() => overridesAt(server), { timeout: TIMEOUT_MS })
        .toEqual([expect.stringContaining('overrode the rule frozen')])
    const [subject = ''] = await overridesAt(follower)
    const [, path = ''] = /POST (\S+)$/.exec(subject) ?? []
    expect((await follower.fetch(path, { method: 'POST', as: SOMEONE })).status).toBe(403)
    expect((await follower.fetch(path, { method: 'POST' })).status).toBe(200)
    for (const server of servers)
      await expect.poll(() => overridesAt(server), { timeout: TIMEOUT_MS }).toEqual([])
  })
})
