import { CatFileReader } from './cat-file-reader.ts'
import { GitExecutable } from '../git-executable.ts'
import type { GitStore } from '../git-store.ts'
import type { ObjectReader } from './object-reader.ts'

export interface ObjectReaderOptions extends GitStore {
  /** The `PATH` on which git is looked up; null to work without it. */
  readonly path: string | undefined | null
  /** Environment variables that name the objects of a push in progress. */
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

/** isomorphic-git is loaded only without the git program, because loading takes longer than all else. */
export async function objectReaderWith(
  git: GitExecutable | null,
  store: GitStore,
): Promise<ObjectReader> {
  if (git !== null) return new CatFileReader(git, store.gitDir)
  const { IsomorphicReader } = await import('./isomorphic-reader.ts')
  return new IsomorphicReader(store)
}
