import { unavailable } from '../../core/errors.ts'
import { CatFileReader } from './cat-file-reader.ts'
import { GitExecutable } from '../git-executable.ts'
import type { GitStore } from '../git-store.ts'
import { readObjectFormat, SHA1 } from '../object-format.ts'
import type { ObjectReader } from '../objects/object-reader.ts'

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

/**
 * isomorphic-git is loaded only without the git program, because loading takes longer than all else.
 *
 * @throws {ServiceError} `unavailable` when only the git program can read such a repository, and
 * there is none.
 */
export async function objectReaderWith(
  git: GitExecutable | null,
  store: GitStore,
): Promise<ObjectReader> {
  const format = await readObjectFormat(store)
  if (git !== null) return new CatFileReader(git, store, { format })
  if (format !== SHA1) {
    throw unavailable(
      `${store.gitDir} has the object format ${format.name}: install git to read it`,
    )
  }
  const { IsomorphicReader } = await import('./isomorphic-reader.ts')
  return new IsomorphicReader(store)
}
