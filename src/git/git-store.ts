import type { FsPromises } from '../storage/fs-promises.ts'

/** The paths of one repository, and the file system for writes. */
export interface GitStore {
  readonly fs: FsPromises
  /** The `.git` folder. */
  readonly gitDir: string
}
