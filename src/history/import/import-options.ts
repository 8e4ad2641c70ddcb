import type { Clock } from '../../lib/clock.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { HistoryOptions } from '../history-options.ts'

export interface ImportOptions extends Pick<
  HistoryOptions,
  'repository' | 'fileName' | 'objectFormat' | 'inspect' | 'serverEdition'
> {
  readonly programPath: string | undefined
  readonly clock: Clock
  /** Summarises the changes of a document since the previous one. */
  readonly summarise: (before: Uint8Array | null, after: Uint8Array) => Promise<string>
  /** Fetches the other repository into a folder, and returns the commit to import. */
  readonly fetch: (folder: string) => Promise<CommitSha>
  /** Identifies the import, so that an interrupted one can continue. */
  readonly name: string
  /** The file in the other repository. */
  readonly sourceFile: string
  readonly since: number | null
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void
}
