import { CatFileReader } from './cat-file-reader.ts'
import { GitExecutable } from './git-executable.ts'
import type { GitStore } from './git-store.ts'
import { IsomorphicReader } from './isomorphic-reader.ts'
import type { ObjectReader } from './object-reader.ts'

export interface ObjectReaderOptions extends GitStore {
  /** Where the git program is looked for, or null to do without it. */
  readonly path: string | undefined | null
  /** Variables by which git names the objects of a push that is not accepted yet. */
  readonly quarantine?: Readonly<Record<string, string>>
}

/** The fastest reader that this machine has. */
export async function openObjectReader({
  path,
  quarantine = {},
  ...store
}: ObjectReaderOptions): Promise<ObjectReader> {
  return objectReaderWith(
    path === null ? null : await GitExecutable.find({ path, quarantine }),
    store,
  )
}

export function objectReaderWith(git: GitExecutable | null, store: GitStore): ObjectReader {
  return git === null ? new IsomorphicReader(store) : new CatFileReader(git, store.gitDir)
}
