import { join } from 'node:path'
import { OBJECT_NAME } from '../../core/object-name.ts'
import { CommitSha } from '../../core/revision.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import type { GitStore } from '../../git/git-store.ts'
import { runGit } from '../../git/run-git.ts'
import { replaceFile } from '../../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { DROPPED } from '../dropped/dropped-refs.ts'

const LINE = new RegExp(`^(${OBJECT_NAME}) (${OBJECT_NAME}) `)

/**
 * The commits that nothing names but the logs of the branch and of HEAD, or the name of one that was
 * dropped, such as one that was amended, and that came upon what is archived. They go with it:
 * without it they would be broken.
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
  for (const lines of await readLogs(store, branch)) {
    for (const line of lines) for (const oid of LINE.exec(line)?.slice(1) ?? []) named.add(oid)
  }
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
  const logs = await readLogs(store, branch)
  for (const [n, file] of logFiles(store, branch).entries()) {
    const lines = logs[n] ?? []
    const kept = lines.filter((line) => !goes(CommitSha.parse(LINE.exec(line)?.[2])))
    if (kept.length < lines.length) await replaceFile(file, rejoined(kept), { fs: store.fs })
  }
}

/** As git does it: each line begins where the one before has ended, the first one from nothing. */
function rejoined(lines: readonly string[]): string {
  let before: string | null = null
  return lines
    .map((line) => {
      const [, old = '', next = ''] = LINE.exec(line) ?? []
      const joined = `${before ?? '0'.repeat(old.length)}${line.slice(old.length)}\n`
      before = next
      return joined
    })
    .join('')
}

async function readLogs(store: GitStore, branch: string): Promise<readonly (readonly string[])[]> {
  return Promise.all(
    logFiles(store, branch).map(async (file) => {
      const bytes = await orNullWhenAbsent(store.fs.readFile(file))
      const lines = Buffer.from(bytes ?? [])
        .toString('utf8')
        .split('\n')
      return lines.filter((line) => LINE.test(line))
    }),
  )
}

function logFiles({ gitDir }: GitStore, branch: string): readonly string[] {
  return ['HEAD', branch].map((log) => join(gitDir, 'logs', log))
}
