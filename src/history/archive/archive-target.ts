import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { unavailable } from '../../core/errors.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { Clock } from '../../lib/clock.ts'
import { Resources } from '../../lib/resources.ts'
import { assertNothingHidden } from '../../git/boundary.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import type { GitStore } from '../../git/git-store.ts'
import type { ObjectReader } from '../../git/objects/object-reader.ts'
import { openObjectReader } from '../../git/readers/open-object-reader.ts'
import { readHead } from '../../git/refs.ts'
import { requireGit } from '../../git/run-git.ts'
import { isThere } from '../../storage/fs-error.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import { openProcessLock } from '../../storage/process-lock.ts'
import { type BranchRewrite, keepDropped } from '../dropped/dropped-refs.ts'
import { IndexFile } from '../index/index-file.ts'
import { IndexKeeper } from '../index/index-keeper.ts'
import type { RevisionIndex } from '../index/revision-index.ts'
import { sharedFs } from '../../git/shared-repository.ts'
import { assertNotShallow, assertServable } from '../repository/repository-shape.ts'
import type { VerifyOptions } from '../upkeep/verify.ts'
import { type ArchivedPart, archivedOf, followArchiveRecord } from '../record/archive-record.ts'

/** A repository that something is moved out of, or back into, and that no service has meanwhile. */
export interface ArchiveTarget extends AsyncDisposable {
  readonly git: GitExecutable
  readonly store: GitStore
  readonly reader: ObjectReader
  /** The parts that are archived already, oldest first. */
  readonly parts: readonly ArchivedPart[]
  readonly branch: string
  readonly head: CommitSha
}

export interface ArchiveOptions extends VerifyOptions {
  readonly programPath: string | undefined
  /** The file system for what is written for good; Node's own when absent. */
  readonly fs?: FsPromises
}

/**
 * Opens the repository of a stopped service.
 *
 * @throws {ServiceError} `unavailable` while a service runs on it, or when it cannot be served.
 */
export async function openArchiveTarget({
  repository,
  programPath,
  fs: base = nodeFs,
}: ArchiveOptions): Promise<ArchiveTarget> {
  const git = await requireGit(programPath)
  const gitDir = join(repository, '.git')
  if (!(await isThere(join(gitDir, 'HEAD')))) {
    throw unavailable(`${repository} is not a git repository`)
  }
  const store = { fs: await sharedFs(base, gitDir), gitDir }
  await assertServable(store, git)
  await nodeFs.mkdir(join(store.gitDir, 'cairn'), { recursive: true })
  const opened = new Resources()
  try {
    opened.own(await openProcessLock(join(store.gitDir, 'cairn', 'lock')))
    const reader = opened.own(await openObjectReader({ ...store, path: programPath }))
    const parts = await followArchiveRecord({ store, reader })
    await assertNotShallow(store, reader)
    await assertNothingHidden(store)
    const { branch, commit: head } = await readHead(store)
    if (branch === null || head === null) {
      throw unavailable(`The repository ${repository} has no branch with a revision checked out`)
    }
    const close = () => opened[Symbol.asyncDispose]()
    return { git, store, reader, parts, branch, head, [Symbol.asyncDispose]: close }
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw error
  }
}

/**
 * The present index of the repository. Entries that git has taken from the branch meanwhile stay.
 */
export async function readIndex(
  { store, reader, parts, head }: ArchiveTarget,
  options: ArchiveOptions & { readonly clock: Clock },
): Promise<RevisionIndex> {
  const keepFormer = (rewrite: BranchRewrite) =>
    keepDropped({ store, reader }, rewrite, options.clock())
  const context = { ...options, reader, archived: archivedOf(parts), keepFormer }
  const path = join(store.gitDir, 'cairn', 'revisions')
  const keeper = new IndexKeeper(new IndexFile({ fs: nodeFs, path }, context), context)
  await keeper.load()
  await keeper.moveTo(head)
  return keeper.index
}
