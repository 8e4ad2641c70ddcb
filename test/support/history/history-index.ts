import { onTestFinished } from 'vitest'
import { DiffPool } from '../../../src/diff/diff-pool.ts'
import { ChangeSummary } from '../../../src/document/changes/change-summary.ts'
import type { History } from '../../../src/history/history.ts'
import { HistoryIndex, type HistoryIndexOptions } from '../../../src/index/history-index.ts'
import { TempFolder } from '../disk/temp-folder.ts'

/** The name of a file for an index, in a folder that goes with the test. */
export function indexFile(): string {
  const folder = new TempFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  return folder.file('history-index.sqlite')
}

/** An index of a history, which ends with its test. */
export function indexOf(history: History, over: Partial<HistoryIndexOptions> = {}): HistoryIndex {
  const pool = new DiffPool()
  const index = new HistoryIndex({
    history,
    summary: new ChangeSummary({ find: () => null }),
    script: (...args) => pool.script(...args),
    file: over.file ?? indexFile(),
    log: () => {},
    ...over,
  })
  onTestFinished(async () => {
    await index[Symbol.asyncDispose]()
    await pool.close()
  })
  return index
}
