import { join } from 'node:path'
import { OBJECT_NAME } from '../../core/object-name.ts'
import { unavailable } from '../../core/errors.ts'
import { CommitSha } from '../../core/revision.ts'
import { DELTA_DEPTH } from '../../git/empty-repository.ts'
import { assertNothingHidden } from '../../git/boundary.ts'
import { type GitExecutable, packingVariable } from '../../git/git-executable.ts'
import type { GitStore } from '../../git/git-store.ts'
import { runGit, tryGit } from '../../git/run-git.ts'
import { replaceFile } from '../../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'

/** Derived from the history as it was; git makes none for one that begins elsewhere. */
const GRAPHS = ['commit-graph', 'commit-graphs']
const SYNCED = ['-c', 'core.fsync=all', '-c', 'core.fsyncMethod=fsync']
const UNNAMED = new RegExp(`^dangling (\\w+) (${OBJECT_NAME})$`)
/** The content of our `.keep` files. */
const KEEP_FILE_CONTENT = 'cairn archive\n'

/** An object that no ref, log or index reaches. */
export interface UnnamedObject {
  readonly oid: string
  readonly type: string
}

/**
 * Lists unreferenced objects, and asserts that none is missing.
 *
 * @throws {ServiceError} `unavailable` when the repository is damaged.
 */
export async function listUnnamed(
  git: GitExecutable,
  gitDir: string,
): Promise<readonly UnnamedObject[]> {
  const fsck = ['fsck', '--connectivity-only', '--dangling', '--no-progress']
  const { output, isDone } = await tryGit(git, gitDir, fsck)
  if (!isDone) throw unavailable('The repository is damaged: cairn doctor says where')
  return output
    .toString('latin1')
    .split('\n')
    .flatMap((line) => {
      const [, type, oid] = UNNAMED.exec(line) ?? []
      return type === undefined || oid === undefined ? [] : [{ type, oid }]
    })
}

/**
 * Moves unreferenced objects into a pack of their own, which {@link dropArchived} leaves alone: it
 * removes archived objects, and nothing else.
 */
export async function keepUnnamed(
  git: GitExecutable,
  { fs, gitDir }: GitStore,
  { keep, not }: { keep: readonly string[]; not: readonly string[] },
): Promise<void> {
  if (keep.length === 0) return
  const refs = await runGit(git, gitDir, ['for-each-ref', '--format=^%(objectname)'])
  const input = [...keep, ...not.map((oid) => `^${oid}`), refs.toString('latin1')].join('\n')
  const packs = join(gitDir, 'objects', 'pack')
  const args = ['pack-objects', '--revs', '--non-empty', '-q', join(packs, 'pack')]
  const made = await runGit(git, gitDir, [...SYNCED, ...args], { input: `${input}\n` })
  const name = made.toString('latin1').trim()
  if (name !== '') await replaceFile(join(packs, `pack-${name}.keep`), KEEP_FILE_CONTENT, { fs })
}

/**
 * Removes the objects that nothing in the repository needs any more. Objects that a branch, tag,
 * other ref, log or the index of git reaches stay, and so do objects newer than the beginning of
 * the work. The pack of the remaining objects is on disk before another one is removed.
 *
 * @param since Milliseconds since the UNIX epoch.
 */
export async function dropArchived(
  git: GitExecutable,
  { fs, gitDir }: GitStore,
  since: number,
): Promise<void> {
  await assertNothingHidden({ fs, gitDir })
  const info = join(gitDir, 'objects', 'info')
  for (const name of GRAPHS) await fs.rm(join(info, name), { recursive: true, force: true })
  const repack = ['repack', '-a', '-d', '-q', `--depth=${DELTA_DEPTH}`]
  const env = packingVariable(gitDir)
  await runGit(git, gitDir, [...SYNCED, ...repack], { env })
  await runGit(git, gitDir, ['prune', `--expire=${Math.floor(since / 1000)}`], { env })
  await releaseKept({ fs, gitDir })
}

async function releaseKept({ fs, gitDir }: GitStore): Promise<void> {
  const packs = join(gitDir, 'objects', 'pack')
  for (const name of await fs.readdir(packs)) {
    if (!name.endsWith('.keep')) continue
    const text = await orNullWhenAbsent(fs.readFile(join(packs, name)))
    if (Buffer.from(text ?? []).toString('utf8') === KEEP_FILE_CONTENT)
      await fs.rm(join(packs, name))
  }
}

export async function hasCommit(
  git: GitExecutable,
  gitDir: string,
  commit: CommitSha,
): Promise<boolean> {
  return (await tryGit(git, gitDir, ['cat-file', '-e', `${commit}^{commit}`])).isDone
}

/** The commits that any ref or log reaches. */
export async function listNeeded(
  git: GitExecutable,
  gitDir: string,
): Promise<readonly CommitSha[]> {
  const listed = await runGit(git, gitDir, ['rev-list', '--all', '--reflog'])
  const names = listed.toString('latin1').split('\n')
  return names.flatMap((name) => CommitSha.safeParse(name).data ?? [])
}
