import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unavailable } from '../core/errors.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'

const PARTS = ['HEAD', 'objects', 'refs']

/** The git directory of a repository, which is the folder itself where it is a bare one. */
export function gitDirIn(repository: string): string {
  const nested = join(repository, '.git')
  return existsSync(nested) ? nested : repository
}

/**
 * Asserts that a folder has anything of a repository: what is missing of one is damage.
 *
 * @throws {ServiceError} `unavailable`, with the repository as the caller names it.
 */
export async function assertGitFolder(gitDir: string, repository: string): Promise<void> {
  const parts = PARTS.map((part) => orNullWhenAbsent(stat(join(gitDir, part))))
  if ((await Promise.all(parts)).some((part) => part !== null)) return
  throw unavailable(`${repository} is not a git repository`)
}
