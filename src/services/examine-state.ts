import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServiceError } from '../core/errors.ts'
import { copySqliteState, openSqliteState } from '../state/open-sqlite.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { STATE_KINDS } from './state-kinds.ts'

/** What is wrong with a state file, read from a copy, so that nothing changes; null when there is no file. */
export async function examineState(file: string): Promise<readonly string[] | null> {
  if ((await orNullWhenAbsent(stat(file))) === null) return null
  const folder = await mkdtemp(join(tmpdir(), 'cairn-doctor-'))
  try {
    const copy = join(folder, 'state.sqlite')
    await copySqliteState(file, copy)
    await using store = await openSqliteState(copy)
    return await store.check(STATE_KINDS)
  } catch (error) {
    if (error instanceof ServiceError) return [error.message]
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
