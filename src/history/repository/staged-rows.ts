import type { BigIntStats } from 'node:fs'
import type { IndexRow } from '../../git/staging-index.ts'
import { isFile, isRunnable, type TreeEntry } from '../../git/objects/tree-object.ts'
import { indexMode, modeIn, nameIn, renderFacts } from './update-staging-index.ts'

/** The flag of an entry whose file is not checked out. */
export const SKIP_WORKTREE = 0x4000

/** The entry of git's index for an entry of a tree. */
export function stagedRow(
  path: string,
  entry: TreeEntry,
  { stats = null, isSkipped = false }: { stats?: BigIntStats | null; isSkipped?: boolean } = {},
): IndexRow {
  const facts = renderFacts(entry.oid, stats, stagedMode(entry))
  return { path, stage: 0, facts, flags: 0, moreFlags: isSkipped ? SKIP_WORKTREE : null }
}

/** Whether both have the same content and mode. */
export function isStagedAs(row: IndexRow, entry: TreeEntry): boolean {
  return nameIn(row) === entry.oid && modeIn(row) === stagedMode(entry)
}

/** The mode as in git's index, which knows two kinds of files. */
export function stagedMode(entry: TreeEntry): number {
  if (!isFile(entry)) return Number.parseInt(entry.mode, 8)
  return indexMode({ isExecutable: isRunnable(entry) })
}
