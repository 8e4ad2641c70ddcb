import { afterAll, beforeAll, describe } from 'vitest'
import { loadPostgresState, openPostgresState } from '../../../src/state/open-postgres.ts'
import { POSTGRES_BIN, PostgresCluster } from '../../support/postgres-cluster.ts'
import { describeStateStore } from './describe-state-store.ts'

describe.skipIf(POSTGRES_BIN === null)('where the PostgreSQL server is installed', () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start(POSTGRES_BIN ?? '')
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  describeStateStore('PostgreSQL', async () => {
    const url = cluster.freshSchema()
    return {
      open: (upgrades) => openPostgresState(url, upgrades),
      load: (lines, upgrades) => loadPostgresState(url, lines, upgrades),
      remove: async () => undefined,
    }
  })
})
