import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf } from '../../core/digest.ts'
import { unavailable } from '../../core/errors.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { renderBoundary, writeBoundary } from '../../git/boundary.ts'
import { unbundleRepository } from '../../git/bundle.ts'
import { openObjectReader } from '../../git/readers/open-object-reader.ts'
import { requireGit, runGit } from '../../git/run-git.ts'
import { plural } from '../../lib/plural.ts'
import { replaceFile } from '../../storage/durable-fs.ts'
import { draftName } from '../../storage/file-draft.ts'
import { isThere } from '../../storage/fs-error.ts'
import { sha256Of } from '../../storage/sha256.ts'
import { type ArchivedPart, boundaryOf } from '../record/archive-record.ts'
import type { ArchiveTarget } from './archive-target.ts'

/** The branch of an archive, which ends with the newest commit in it. */
export const ARCHIVE_BRANCH = 'refs/heads/archive'

export interface ArchiveFile {
  readonly file: string
  readonly last: CommitSha
  /** Where the archive itself begins, when older revisions are in another one. */
  readonly lower: readonly CommitSha[]
  readonly programPath: string | undefined
}

/**
 * The SHA-256 of an archive, by which a repository knows it.
 *
 * @throws {ServiceError} `unavailable` when the file is not there.
 */
export async function sha256OfArchive(file: string): Promise<string> {
  if (await isThere(file)) return sha256Of(file)
  throw unavailable(`The archive ${file} is not there`)
}

/** Makes a bare repository of an archive. */
export async function unbundleArchive(
  gitDir: string,
  { file, last, lower, programPath }: ArchiveFile,
): Promise<void> {
  const head = { branch: ARCHIVE_BRANCH, commit: last }
  await unbundleRepository(gitDir, { bundle: file, programPath }, head)
  await writeBoundary({ fs: nodeFs, gitDir }, lower)
}

export interface ArchiveContent {
  readonly commits: number
  readonly fileName: string
  readonly revisions: Iterable<Pick<Revision, 'commit' | 'digest'>>
  /** Commits that went with them. */
  readonly forgotten: readonly CommitSha[]
}

/**
 * Reads every revision back out of an archive, through a repository that is made of it alone.
 *
 * @param gitDir The folder of that repository, which must not exist.
 * @throws {ServiceError} `unavailable` when the archive lacks anything.
 */
export async function checkArchive(
  gitDir: string,
  archive: ArchiveFile,
  { commits, fileName, revisions, forgotten }: ArchiveContent,
): Promise<void> {
  const { last, programPath } = archive
  const git = await requireGit(programPath)
  await unbundleArchive(gitDir, archive)
  await runGit(git, gitDir, ['bundle', 'verify', '--quiet', archive.file])
  await runGit(git, gitDir, ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'])
  const count = await runGit(git, gitDir, ['rev-list', '--count', last])
  const found = Number(count.toString())
  if (found !== commits) {
    throw unavailable(`The archive has ${found} ${plural(found, 'commit')} instead of ${commits}`)
  }
  await using reader = await openObjectReader({ fs: nodeFs, gitDir, path: programPath })
  for (const commit of forgotten) {
    if ((await reader.findCommit(commit)) !== null) continue
    throw unavailable(`The archive does not have the commit ${commit}`)
  }
  for (const { commit, digest } of revisions) {
    const document = await reader.findFile(commit, fileName)
    if (document !== null && digestOf(document) === digest) continue
    throw unavailable(`The archive does not have the document of commit ${commit}: ${digest}`)
  }
}

/**
 * Asserts that a repository has everything of an archive.
 *
 * @throws {ServiceError} `unavailable` when it lacks anything.
 */
export async function assertWhole(
  { git, store }: Pick<ArchiveTarget, 'git' | 'store'>,
  { part, rest }: { part: ArchivedPart; rest: readonly ArchivedPart[] },
): Promise<void> {
  const lower = join(store.gitDir, 'cairn', draftName())
  await replaceFile(lower, renderBoundary(boundaryOf(rest)))
  try {
    const env = { GIT_SHALLOW_FILE: lower }
    const args = ['rev-list', '--objects', '--quiet', part.last]
    await runGit(git, store.gitDir, args, { env })
    const count = await runGit(git, store.gitDir, ['rev-list', '--count', part.last], { env })
    const found = Number(count.toString())
    if (found === part.commits) return
    const there = `There ${plural(found, 'is', 'are')} ${found} ${plural(found, 'commit')}`
    throw unavailable(`${there} instead of ${part.commits}`)
  } finally {
    await nodeFs.rm(lower, { force: true })
  }
}
