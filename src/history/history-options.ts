import type { Clock } from '../lib/clock.ts'
import type { Digest } from '../core/digest.ts'
import type { FsPromises } from '../storage/fs-promises.ts'
import type { Inspect } from './revision/inspection.ts'
import type { MaintenanceLimits } from './upkeep/maintenance.ts'
import type { Prepare } from './revision/prepared-change.ts'
import type { Report } from './revision/problems.ts'

/** The exact bytes of a revision. */
export interface StoredDocument {
  readonly digest: Digest
  readonly document: Uint8Array<ArrayBuffer>
}

export interface HistoryOptions {
  /** The folder of the repository and of its work tree. */
  readonly repository: string
  /** The live file, relative to that folder, with `/` between folders. */
  readonly fileName: string
  /** Judges the document of a commit. */
  readonly inspect: Inspect
  /** A live file of more bytes is not read; any is when not given. */
  readonly largestDocument?: number
  /** Judges an edit that came past the service as the next document, and says what it changes. */
  readonly prepare: Prepare
  /** What readers get of a document: itself, or a copy with its secrets sealed. Itself when not given. */
  readonly sealForReaders?: (stored: StoredDocument) => Promise<Uint8Array<ArrayBuffer>>
  /** What a repository begins with that is made where there is no live file. */
  readonly firstDocument: () => Uint8Array<ArrayBuffer>
  readonly serverEdition: string
  readonly serverVersion: string
  readonly clock: Clock
  /** Milliseconds between two looks at the live file and the branch when nothing is heard. */
  readonly pollInterval: number
  readonly report: Report
  /** The command that git runs to check a push, as arguments; null leaves the hook alone. */
  readonly pushCheck?: readonly string[] | null
  /** When loose objects and packs are put together; as it suits most repositories when not given. */
  readonly packWhen?: MaintenanceLimits
  /** The file system that everything is written through; that of Node when not given. */
  readonly fs?: FsPromises
  /** Where the git program is looked for: the `PATH`; null to do without it. */
  readonly programPath: string | undefined | null
}
