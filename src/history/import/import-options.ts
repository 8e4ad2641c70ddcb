import type { Clock } from '../../lib/clock.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { HistoryOptions } from '../history-options.ts'

export interface ImportOptions extends Pick<
  HistoryOptions,
  'repository' | 'fileName' | 'inspect' | 'serverEdition'
> {
  readonly programPath: string | undefined
  readonly clock: Clock
  /** Says in words what a document changes in the one before. */
  readonly summarise: (before: Uint8Array | null, after: Uint8Array) => Promise<string>
  /** Brings the other repository into a folder, and tells which commit is to be imported. */
  readonly fetch: (folder: string) => Promise<CommitSha>
  /** What names the import, so that one that was interrupted is known again. */
  readonly name: string
  /** The file in the other repository. */
  readonly sourceFile: string
  readonly since: number | null
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void
}
