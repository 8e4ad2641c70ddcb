import { describe } from 'vitest'
import { describeAudit } from './describe-audit.ts'
import { describeChanges } from './describe-changes.ts'
import { describeDocuments } from './describe-documents.ts'
import { describeDumps } from './describe-dumps.ts'
import { describeLists } from './describe-lists.ts'
import { describeVersions } from './describe-versions.ts'
import type { StatePlace } from './state-place.ts'

/** Describes the contract of every engine of the state store. */
export function describeStateStore(where: string, freshPlace: () => Promise<StatePlace>): void {
  describe(`state store (${where})`, () => {
    describeDocuments(freshPlace)
    describeChanges(freshPlace)
    describeLists(freshPlace)
    describeDumps(freshPlace)
    describeAudit(freshPlace)
    describeVersions(freshPlace)
  })
}
