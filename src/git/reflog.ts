import { join } from 'node:path'
import { OBJECT_NAME } from '../core/object-name.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import type { GitStore } from './git-store.ts'

const LINE = new RegExp(`^(${OBJECT_NAME}) (${OBJECT_NAME}) `)

/** One move of a ref. Both names are all zeros where there was, or is, none. */
export interface ReflogEntry {
  readonly from: string
  readonly to: string
  readonly line: string
}

/** Reads the moves of a ref, oldest first; empty when git keeps none. Damaged lines are left out. */
export async function readReflog(store: GitStore, ref: string): Promise<readonly ReflogEntry[]> {
  const bytes = await orNullWhenAbsent(store.fs.readFile(reflogFile(store, ref)))
  const lines = Buffer.from(bytes ?? [])
    .toString('utf8')
    .split('\n')
  return lines.flatMap((line) => {
    const [, from, to] = LINE.exec(line) ?? []
    return from !== undefined && to !== undefined ? [{ from, to, line }] : []
  })
}

export function reflogFile({ gitDir }: Pick<GitStore, 'gitDir'>, ref: string): string {
  return join(gitDir, 'logs', ref)
}
