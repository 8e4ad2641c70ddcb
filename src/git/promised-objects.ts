import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { OBJECT_NAME } from '../core/object-name.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import type { GitExecutable } from './git-executable.ts'
import { runGit } from './run-git.ts'

const MISSING = new RegExp(`^\\?(${OBJECT_NAME})$`, 'gm')

/**
 * Whether packs of a repository come from a partial clone. Nothing need be missing: git keeps the
 * mark when it has fetched the rest, and copies it into local clones.
 */
export async function hasPromisedPacks(gitDir: string): Promise<boolean> {
  const names = (await orNullWhenAbsent(readdir(join(gitDir, 'objects', 'pack')))) ?? []
  return names.some((name) => name.endsWith('.promisor'))
}

/**
 * The objects that the refs need and the repository lacks, where other repositories have promised
 * them: `git fsck` takes their absence for no fault.
 *
 * @throws {ServiceError} `unavailable`, with what git says.
 */
export async function missingPromised(
  git: GitExecutable,
  gitDir: string,
): Promise<readonly string[]> {
  if (!(await hasPromisedPacks(gitDir))) return []
  const args = ['rev-list', '--objects', '--all', '--reflog', '--missing=print', '--quiet']
  const output = await runGit(git, gitDir, args)
  return [...output.toString('latin1').matchAll(MISSING)].map(([, oid = '']) => oid)
}
