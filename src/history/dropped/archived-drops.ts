import type { CommitSha } from '../../core/revision.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import type { GitStore } from '../../git/git-store.ts'
import { runGit } from '../../git/run-git.ts'
import { DROPPED, listDropped } from './dropped-refs.ts'

const SYNCED = ['-c', 'core.fsync=all']

/** Removes the names of dropped commits that have gone into an archive. */
export async function forgetDropped(
  { git, store }: { git: GitExecutable; store: GitStore },
  isGone: (commit: CommitSha) => boolean,
): Promise<void> {
  const gone = (await listDropped(store)).filter(isGone)
  await updateRefs(
    git,
    store,
    gone.map((commit) => `delete ${DROPPED}${commit}\n`),
  )
}

/** Gives the dropped commits of an archive their names again. Their objects are there. */
export async function nameDroppedOf(
  file: string,
  { git, store }: { git: GitExecutable; store: GitStore },
): Promise<void> {
  const heads = await runGit(git, store.gitDir, ['bundle', 'list-heads', file])
  const lines = heads
    .toString('latin1')
    .split('\n')
    .map((line) => line.split(' '))
  await updateRefs(
    git,
    store,
    lines.flatMap(([oid, ref]) => (ref?.startsWith(DROPPED) ? [`update ${ref} ${oid}\n`] : [])),
  )
}

async function updateRefs(
  git: GitExecutable,
  { gitDir }: GitStore,
  commands: readonly string[],
): Promise<void> {
  if (commands.length === 0) return
  const input = commands.join('')
  await runGit(git, gitDir, [...SYNCED, 'update-ref', '--stdin'], { input })
}
