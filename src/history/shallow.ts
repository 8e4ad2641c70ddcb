import { join } from 'node:path'
import { CommitSha } from '../core/revision.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import type { GitStore } from '../git/git-store.ts'
import type { ObjectReader } from '../git/object-reader.ts'
import { unavailable } from '../core/errors.ts'

/**
 * Makes sure that the parents of all commits that `.git/shallow` names are there. Then nothing obeys
 * the file: a history that it cut off would lose its older revisions without a word.
 *
 * @throws {ServiceError} `unavailable` when some are not, as in a clone with `--depth`.
 */
export async function assertNotShallow(
  { fs, gitDir }: GitStore,
  reader: Pick<ObjectReader, 'findCommit'>,
): Promise<void> {
  const bytes = await orNullWhenAbsent(fs.readFile(join(gitDir, 'shallow')))
  const lines = Buffer.from(bytes ?? [])
    .toString('latin1')
    .split('\n')
  const named = lines.flatMap((line) => CommitSha.safeParse(line.trim()).data ?? [])
  for (const name of named) {
    const commit = await reader.findCommit(name)
    for (const parent of commit?.parents ?? []) {
      if ((await reader.findCommit(parent)) !== null) continue
      const what = `${gitDir} is shallow: it has the commit ${name} without what came before`
      throw unavailable(`${what}; "git fetch --unshallow" brings that`)
    }
  }
}
