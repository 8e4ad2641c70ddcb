import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSqliteState, openSqliteState } from '../../../src/state/open-sqlite.ts'
import { describeStateStore } from './describe-state-store.ts'

describeStateStore('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-state-'))
  const file = join(folder, 'state.db')
  return {
    open: (upgrades) => openSqliteState(file, upgrades ? { upgrades } : {}),
    load: (lines, upgrades) => loadSqliteState(file, lines, upgrades),
    remove: async () => {
      rmSync(folder, { recursive: true })
    },
  }
})
