import type { Clock } from '../lib/clock.ts'
import type { Digest } from '../core/digest.ts'
import type { ObjectFormatName } from '../core/object-name.ts'
import type { FsPromises } from '../storage/fs-promises.ts'
import type { ArchivePlaces } from './archive/served-archives.ts'
import type { Inspect } from './revision/inspection.ts'
import type { MaintenanceLimits } from './upkeep/maintenance.ts'
import type { CompactionLimits } from './log/log-compaction.ts'
import type { RevisionLog } from './log/revision-log.ts'
import type { JudgeNative, JudgePush, Prepare } from './revision/prepared-change.ts'
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
  /** How a repository that is created names its objects; `sha1` when absent. One that is there keeps its own. */
  readonly objectFormat?: ObjectFormatName
  /** Validates the document of a commit. */
  readonly inspect: Inspect
  /** The largest live file that is read, in bytes; unlimited when absent. */
  readonly largestDocument?: number
  /** Prepares an edit made outside the service as the next revision. */
  readonly prepare: Prepare
  /** Judges a push commit by commit; only its newest document is judged when absent. */
  readonly judgePush?: JudgePush
  /** Judges commits that git has made in the repository; none are refused when absent. */
  readonly judgeNative?: JudgeNative
  /**
   * The form of a document that readers get, such as a copy with sealed secrets. The document
   * itself when absent.
   */
  readonly sealForReaders?: (stored: StoredDocument) => Promise<Uint8Array<ArrayBuffer>>
  /** A document as it is written, with a stand-in for each plain secret. The document itself when absent. */
  readonly markPlainSecrets?: (stored: StoredDocument) => Promise<Uint8Array<ArrayBuffer>>
  /** The first document of a new repository without a live file. */
  readonly firstDocument: () => Uint8Array<ArrayBuffer>
  readonly serverEdition: string
  readonly serverVersion: string
  readonly clock: Clock
  /** Milliseconds between two checks of the live file and the branch without file events. */
  readonly pollInterval: number
  readonly report: Report
  /** The command that git runs to check a push, as arguments; null installs no hook. */
  readonly pushCheck?: readonly string[] | null
  /** Archives whose revisions are shown; none when absent. */
  readonly archives?: ArchivePlaces
  /** When loose objects and packs are repacked; has defaults. */
  readonly packWhen?: MaintenanceLimits
  /** Where moves of the branch become final, for several servers; the repository itself when absent. */
  readonly revisionLog?: RevisionLog | null
  /** When entries of that log are replaced by a base; has defaults. */
  readonly compactWhen?: CompactionLimits
  /** The file system for every write; Node's own when absent. */
  readonly fs?: FsPromises
  /** The `PATH` on which git is looked up; null to work without it. */
  readonly programPath: string | undefined | null
}
