// @module-tag long
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { BASIC } from '../../support/http/raw-http.ts'
import { type CallOptions, callOver, type Nginx, startNginx } from '../../support/programs/nginx.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { until } from '../../support/programs/until.ts'
import { kill } from '../../support/service/database-server.ts'
import { serveTwo } from '../../support/service/servers.ts'
import { save } from '../../support/service/saving.ts'

const CONFIGURATION = '/api/admin/config.xml'
/** Milliseconds; a hanging server holds a call for twenty seconds. */
const QUICK_MS = 5_000

async function timed(nginx: Nginx, path: string, options: CallOptions = {}) {
  const began = performance.now()
  const { status } = await callOver(nginx, path, options)
  return { status, took: performance.now() - began }
}

describe(
  'deploy/nginx.conf before several servers',
  { tags: ['postgresql', 'nginx', 'openssl'] },
  () => {
    let cluster: PostgresCluster

    beforeAll(async () => {
      cluster = await PostgresCluster.start()
    })

    afterAll(() => cluster[Symbol.asyncDispose]())

    it(
      'leaves a server alone that hangs or is gone, and comes back to it',
      { timeout: 120_000 },
      async () => {
        const [first, second] = await serveTwo(cluster.freshSchema())
        await save(first, documentWith('app'))
        const nginx = await startNginx(tempDir(), [first.url, second.url])
        const headers = { authorization: BASIC }
        const readAll = (times: number) =>
          Promise.all(Array.from({ length: times }, () => timed(nginx, CONFIGURATION, { headers })))
        await readAll(4)

        second.program.process.kill('SIGSTOP')
        // The check that finds out waits itself, and is answered by the other one then.
        const checks = await Promise.all([1, 2].map(() => timed(nginx, '/health/live')))
        const reads = await readAll(20)
        const change = { method: 'PUT', headers: { ...headers, 'if-match': '*' } }
        const saved = await timed(nginx, CONFIGURATION, { ...change, body: documentWith('two') })
        second.program.process.kill('SIGCONT')
        await kill(first)
        await until(
          async () => (await timed(nginx, CONFIGURATION, { headers })).status === 200,
          30_000,
        )

        expect(checks.map(({ status }) => status)).toEqual([200, 200])
        expect(Math.max(...checks.map(({ took }) => took))).toBeGreaterThan(2_000)
        expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200))
        expect(Math.max(...reads.map(({ took }) => took))).toBeLessThan(QUICK_MS)
        expect(saved.status).toBe(200)
        expect(saved.took).toBeLessThan(QUICK_MS)
      },
    )
  },
)
