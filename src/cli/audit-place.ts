import { join } from 'node:path'
import { readAuditRows, writeAuditRows } from '../cluster/postgres-audit.ts'
import type { MovedEntry } from '../core/audit.ts'
import {
  assertNoAuditFiles,
  readAuditFiles,
  writeAuditFiles,
} from '../notify/audit/moved-entries.ts'
import type { DumpSettings } from '../settings/settings.ts'
import { writeLog } from './output.ts'

/** Where a command finds the audit log that belongs to the state that settings name. */
export interface AuditPlace {
  /** Every entry, oldest first. */
  read(): AsyncIterable<MovedEntry>
  /** @throws {ServiceError} `unavailable` where there is an audit log already. */
  assertNone(): Promise<void>
  write(entries: AsyncIterable<MovedEntry>): Promise<void>
}

export function auditPlaceOf({
  state: url,
  'state-dir': stateDir,
  'max-audit': largest,
}: DumpSettings): AuditPlace {
  if (url !== null) {
    return {
      read: () => readAuditRows(url),
      // A database without a state has none.
      assertNone: async () => undefined,
      write: (entries) => writeAuditRows(url, entries),
    }
  }
  const folder = join(stateDir, 'audit')
  const options = { folder, largest, clock: Date.now, log: writeLog }
  return {
    read: () => readAuditFiles(folder),
    assertNone: () => assertNoAuditFiles(folder),
    write: (entries) => writeAuditFiles(options, entries),
  }
}
