import { afterAll, beforeAll, describe } from 'vitest'
import { loadPostgresState, openPostgresState } from '../../../src/state/open-postgres.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { describeStateStore } from './describe-state-store.ts'

describe('with a PostgreSQL server', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  describeStateStore('PostgreSQL', async () => {
    const url = cluster.freshSchema()
    return {
      open: (upgrades) => openPostgresState(url, upgrades ? { upgrades } : {}),
      load: (lines, upgrades) => loadPostgresState(url, lines, upgrades),
      remove: async () => undefined,
    }
  })
})
