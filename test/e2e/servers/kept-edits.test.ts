// @module-tag long
import { rm, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { CLUSTER_UPGRADES } from '../../../src/cluster/cluster-schema.ts'
import { PostgresLog } from '../../../src/cluster/postgres-log.ts'
import { PostgresDriver } from '../../../src/state/postgres-driver.ts'
import { UPGRADES, upgrade } from '../../../src/state/upgrades.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { atEnd } from '../../support/programs/at-end.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'

describe('an edit that lost against a save of another server', { tags: ['postgresql'] }, () => {
  it('is kept once, however often the branch cannot be moved', async () => {
    await using cluster = await PostgresCluster.start()
    const driver = new PostgresDriver(cluster.freshSchema())
    atEnd(() => driver[Symbol.asyncDispose]())
    await upgrade(driver, UPGRADES)
    await upgrade(driver, CLUSTER_UPGRADES, 'cluster-version')
    await using folder = new HistoryFolder({ revisionLog: new PostgresLog(driver) })
    await using other = new HistoryFolder({ revisionLog: new PostgresLog(driver) })
    const history = await folder.open()
    const faster = await other.open()
    const lock = folder.file('.git/refs/heads/main.lock')
    await writeFile(lock, '')
    await save(faster, documentOf('two'))
    folder.write(documentOf('edited'))

    for (let attempt = 0; attempt < 2; attempt += 1) await history.follow()
    await rm(lock)
    await history.follow()

    const kept = folder.git('for-each-ref', '--format=%(objectname)', 'refs/conflicts').trim()
    expect(folder.git('show', `${kept}:config.xml`)).toBe(documentOf('edited'))
    expect(folder.live()).toBe(documentOf('two'))
  })
})
