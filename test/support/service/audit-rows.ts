import { join } from 'node:path'
import { DatabaseSync } from '../../../src/storage/sqlite-engine.ts'

/** The rows of the audit log in a state folder, oldest first, also while a server writes to it. */
export function auditRowsIn(stateDir: string): readonly string[] {
  const database = new DatabaseSync(join(stateDir, 'state.sqlite'), { readOnly: true })
  const rows = database.prepare('SELECT json FROM audit_entry ORDER BY id').all()
  database.close()
  return rows.map((row) => String(row['json']))
}

/** Replaces the text of the oldest row by one that is no entry. No server may run. */
export function damageOldestAuditRow(stateDir: string): void {
  const database = new DatabaseSync(join(stateDir, 'state.sqlite'))
  database.exec(
    "UPDATE audit_entry SET json = 'damaged' WHERE id = (SELECT MIN(id) FROM audit_entry)",
  )
  database.close()
}

/** Has every reading of the audit log fail by a fault of the service. */
export function takeAwayAuditRows(stateDir: string): void {
  const database = new DatabaseSync(join(stateDir, 'state.sqlite'))
  database.exec('ALTER TABLE audit_entry RENAME TO taken_away')
  database.close()
}
