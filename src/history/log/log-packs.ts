import type { ChangeFacts } from '../../core/change-origin.ts'
import { Readable } from 'node:stream'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { TooLargeError } from '../../git/objects/damage.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import { PackUnion } from '../../git/packs/pack-union.ts'
import type { RawObjectReader } from '../../git/objects/raw-object.ts'
import { type GitInput, runGit, SHORT_TIMEOUT_MS, streamGit, tryGit } from '../../git/run-git.ts'
import { unavailable } from '../../core/errors.ts'
import { allOf } from '../../lib/all-of.ts'
import type { DescribeMove } from './describe-move.ts'
import type { LogPack, RevisionLog } from './revision-log.ts'

/** A repository, and the git program that works on it. */
export interface PackStore {
  readonly git: GitExecutable
  readonly gitDir: string
  readonly reader: RawObjectReader
}

/** The size of objects in memory that are added at once, in bytes. */
const JOINED_BYTES = 64 * 1024 * 1024

/** The limit of a command that adds as much, or looks through a whole history. */
const LONG = { timeoutMs: 300_000 }

/**
 * Makes a move of the branch final whose objects are already on disk. Returns false, without any
 * change, when another move was faster.
 */
export type Publish = (move: {
  readonly from: CommitSha | null
  readonly to: CommitSha
  /** Its revisions, oldest first, where each is a save; otherwise they are found in its commits. */
  readonly saved?: readonly Revision[]
  /** The facts of their changes, one for each. */
  readonly facts?: readonly ChangeFacts[]
}) => Promise<boolean>

/** Publishes moves in a log, and begins it. */
export function publishIn(log: RevisionLog, store: PackStore, describe: DescribeMove): Publish {
  return async ({ from, to, saved, facts }) => {
    if (from === null) return log.rebase({ sequence: 1, commit: to, pack: packUpTo(store, to) })
    const [pack, audit] = await allOf([
      packBetween(store, from, to),
      describe({ from, to, saved, facts }),
    ])
    return (await log.append({ from, to, pack, audit })) !== null
  }
}

/** Packs all objects of a commit. */
export function packUpTo({ git, gitDir }: PackStore, commit: CommitSha): AsyncIterable<Uint8Array> {
  const args = ['-c', 'pack.threads=1', 'pack-objects', '--revs', '--delta-base-offset', '--stdout']
  return streamGit(git, gitDir, [...args, '-q'], { input: `${commit}\n` })
}

/** The objects that a commit has and another one has not; deltas may begin from objects of the latter. */
async function packBetween(
  { git, gitDir }: PackStore,
  from: CommitSha,
  to: CommitSha,
): Promise<Uint8Array> {
  const args = ['pack-objects', '--revs', '--thin', '--delta-base-offset', '--stdout', '-q']
  return runGit(git, gitDir, args, { input: `${to}\n^${from}\n`, ...LONG })
}

/**
 * Adds the objects of packs to the repository, oldest first. Adding a pack takes a process of git,
 * so many are added as one.
 */
export async function addPacks(store: PackStore, packs: AsyncIterable<LogPack>): Promise<void> {
  let union = new PackUnion(store.reader)
  const flush = async () => {
    if (!union.isEmpty) await addPack(store, [union.toPack()], LONG)
    union = new PackUnion(store.reader)
  }
  for await (const pack of packs) {
    if (pack.kind === 'base' || !(await isJoined(union, pack.bytes))) {
      await flush()
      if (pack.kind === 'base') await addPack(store, pack.parts)
      else await addPack(store, [pack.bytes], LONG)
    }
    if (union.size > JOINED_BYTES) await flush()
  }
  await flush()
}

/** False for a pack that git has to add, or to refuse, by itself. */
async function isJoined(union: PackUnion, pack: Uint8Array): Promise<boolean> {
  try {
    await union.add(pack)
    return true
  } catch (error) {
    if (error instanceof RangeError || error instanceof TooLargeError) return false
    throw error
  }
}

async function addPack(
  { git, gitDir }: PackStore,
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: Pick<GitInput, 'timeoutMs'> = {},
): Promise<void> {
  const args = ['index-pack', '--stdin', '--fix-thin', '--strict']
  await runGit(git, gitDir, args, { input: Readable.from(parts), ...limit })
}

/** Whether a commit is in the history of another; false when one of them is not there. */
export function isAncestor(store: PackStore, older: CommitSha, newer: CommitSha): Promise<boolean> {
  return isSoOf(store, [older, newer], ['--is-ancestor'])
}

/** Whether two commits have a common history; false when one of them is not there. */
export function areRelated(store: PackStore, one: CommitSha, other: CommitSha): Promise<boolean> {
  return isSoOf(store, [one, other])
}

/** @throws {ServiceError} `unavailable` when git gives no answer: a commit of the branch must not count as foreign then. */
async function isSoOf(
  { git, gitDir, reader }: PackStore,
  commits: readonly CommitSha[],
  options: readonly string[] = [],
): Promise<boolean> {
  const asked = ['merge-base', ...options, ...commits]
  const { isDone, end, errors } = await tryGit(git, gitDir, asked, LONG)
  if (isDone || end === 'exit code 1') return isDone
  const found = await Promise.all(commits.map((commit) => reader.findObject(commit)))
  if (found.includes(null)) return false
  throw unavailable(`git merge-base failed: ${errors.trim() || end}`)
}

/** The newest commits of a history, newest first, along its first parents. */
export async function listNewest(
  { git, gitDir }: PackStore,
  commit: CommitSha,
  count: number,
): Promise<readonly string[]> {
  const args = ['rev-list', '--first-parent', `--max-count=${count}`, commit]
  const listed = await runGit(git, gitDir, args, { timeoutMs: SHORT_TIMEOUT_MS })
  return listed.toString('latin1').trim().split('\n')
}
