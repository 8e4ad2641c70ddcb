import { unavailable } from '../../core/errors.ts'
import type { CommitSha } from '../../core/revision.ts'
import { lockRef } from '../../git/ref-update.ts'
import { readHead } from '../../git/refs.ts'
import {
  type ArchivedPart,
  followArchiveRecord,
  writeArchiveRecord,
} from '../record/archive-record.ts'
import { forgetDropped } from '../dropped/archived-drops.ts'
import type { ArchiveTarget } from './archive-target.ts'
import { dropArchived, hasCommit, keepUnnamed } from './drop-archived.ts'
import { trimReflogs } from './trim-reflogs.ts'

/** The objects that leave a repository, all of which are in the file. */
export interface Leaving {
  readonly part: ArchivedPart
  readonly isArchived: (commit: CommitSha) => boolean
  /** Commits that go with it, which only logs named, or the names of dropped ones. */
  readonly forgotten: readonly CommitSha[]
  /** Objects that nothing names, and that stay. */
  readonly unnamed: readonly string[]
}

/**
 * Removes commits from a repository that are safe in a file. The record decides: before it is
 * written the history is as it was, and from then on it begins after the archive.
 *
 * @throws {ServiceError} `unavailable` when somebody has moved the branch; nothing has changed then.
 */
export async function moveOut(
  target: ArchiveTarget,
  { part, isArchived, forgotten, unnamed }: Leaving,
): Promise<void> {
  const { git, store, branch } = target
  const gone = new Set(forgotten)
  const goes = (commit: CommitSha) => isArchived(commit) || gone.has(commit)
  const lock = await lockRef(store, branch)
  try {
    if ((await readHead(store)).commit !== target.head) {
      throw unavailable(`Somebody has moved ${branch} meanwhile: remove the file, and try again`)
    }
    await keepUnnamed(git, store, { keep: unnamed, not: forgotten })
    await trimReflogs(store, { branch, goes })
    await writeArchiveRecord(target, [...target.parts, part])
    await followArchiveRecord(target)
    await forgetDropped(target, goes)
    await dropArchived(git, store, part.time)
    target.reader.renew()
    await followArchiveRecord(target)
  } finally {
    await lock[Symbol.asyncDispose]()
  }
}

/** Removes leftovers of a crash after the record was written. */
export async function finishMoving({ git, store, parts }: ArchiveTarget): Promise<void> {
  const last = parts.at(-1)
  if (last === undefined || !(await hasCommit(git, store.gitDir, last.last))) return
  await dropArchived(git, store, last.time)
}
