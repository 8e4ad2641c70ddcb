import type { Revision } from '../../core/revision.ts'
import { verifyRepository } from '../../history/upkeep/verify.ts'
import { openSqliteState } from '../../state/open-sqlite.ts'
import { EDITION } from '../../configuration/config-services.ts'
import { STATE_KINDS } from '../examine-state.ts'
import { inspectAsIs } from '../../configuration/current/validate-only.ts'

export interface PartsToCheck {
  readonly repository: string
  readonly fileName: string
  readonly stateFile: string
  readonly version: string
  readonly programPath: string | undefined
}

export interface PartsReport {
  readonly revisions: number
  readonly newest: Revision | null
  /** Faults, a sentence each. */
  readonly problems: readonly string[]
  /** Harmless oddities, a sentence each. */
  readonly notes: readonly string[]
}

/** Reads everything in a repository and its state file, and reports faults. */
export async function checkParts(parts: PartsToCheck): Promise<PartsReport> {
  const { revisions, newest, problems, notes } = await verifyRepository({
    ...parts,
    inspect: inspectAsIs,
    serverEdition: EDITION,
    serverVersion: parts.version,
  })
  await using store = await openSqliteState(parts.stateFile)
  const faults = await store.check(STATE_KINDS)
  return { revisions, newest, problems: [...problems, ...faults], notes }
}
