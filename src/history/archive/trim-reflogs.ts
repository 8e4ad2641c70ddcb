import { CommitSha } from '../../core/revision.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import type { GitStore } from '../../git/git-store.ts'
import { readReflog, reflogFile, type ReflogEntry } from '../../git/reflog.ts'
import { runGit } from '../../git/run-git.ts'
import { replaceFile } from '../../storage/durable-fs.ts'
import { DROPPED } from '../dropped/dropped-refs.ts'

/**
 * The commits based on archived ones that only the logs of the branch and of HEAD name, or the name
 * of a dropped one, such as an amended commit. They are removed with the archived commits, without
 * which they would be broken.
 *
 * @param others Further commits that count as not named: dropped ones, and those that nothing names.
 */
export async function findForgotten(
  git: GitExecutable,
  store: GitStore,
  {
    branch,
    others,
    isArchived,
  }: {
    branch: string
    others: readonly string[]
    isArchived: (commit: CommitSha) => boolean
  },
): Promise<readonly CommitSha[]> {
  const named = new Set<string>(others)
  const logs = await Promise.all(logsOf(branch).map((log) => readReflog(store, log)))
  for (const { from, to } of logs.flat()) named.add(from).add(to)
  const tips = [...named].filter((oid) => !/^0+$/.test(oid))
  const listed = await runGit(
    git,
    store.gitDir,
    [
      'rev-list',
      '--topo-order',
      '--reverse',
      '--parents',
      '--ignore-missing',
      '--stdin',
      '--not',
      `--exclude=${DROPPED}*`,
      '--all',
    ],
    { input: [...tips, ''].join('\n') },
  )
  const forgotten = new Set<CommitSha>()
  for (const line of listed.toString('latin1').split('\n')) {
    const [commit, ...parents] = line
      .split(' ')
      .flatMap((each) => CommitSha.safeParse(each).data ?? [])
    const isUpon = parents.some((parent) => isArchived(parent) || forgotten.has(parent))
    if (commit !== undefined && isUpon) forgotten.add(commit)
  }
  return [...forgotten]
}

/** Removes the lines about commits that go from the logs of the branch and of HEAD. */
export async function trimReflogs(
  store: GitStore,
  { branch, goes }: { branch: string; goes: (commit: CommitSha) => boolean },
): Promise<void> {
  for (const log of logsOf(branch)) {
    const entries = await readReflog(store, log)
    const left = entries.filter(({ to }) => !goes(CommitSha.parse(to)))
    if (left.length === entries.length) continue
    await replaceFile(reflogFile(store, log), rejoined(left), { fs: store.fs })
  }
}

/** As git does it: each line begins where the one before has ended, the first one from nothing. */
function rejoined(entries: readonly ReflogEntry[]): string {
  let before: string | null = null
  return entries
    .map(({ from, to, line }) => {
      const joined = `${before ?? '0'.repeat(from.length)}${line.slice(from.length)}\n`
      before = to
      return joined
    })
    .join('')
}

function logsOf(branch: string): readonly string[] {
  return ['HEAD', branch]
}
