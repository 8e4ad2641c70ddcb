import { CatFileReader } from './cat-file-reader.ts'
import { GitExecutable } from './git-executable.ts'
import type { GitStore } from './git-store.ts'
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

/** isomorphic-git is loaded where there is no git program only: that takes longer than the rest of an opening. */
export async function objectReaderWith(
  git: GitExecutable | null,
  store: GitStore,
): Promise<ObjectReader> {
  if (git !== null) return new CatFileReader(git, store.gitDir)
  const { IsomorphicReader } = await import('./isomorphic-reader.ts')
  return new IsomorphicReader(store)
}
