import type { FsPromises } from '../storage/fs-promises.ts'

/** Where the parts of one repository lie, and the file system that writers reach them through. */
export interface GitStore {
  readonly fs: FsPromises
  /** The `.git` folder. */
  readonly gitDir: string
}
