import { createHash } from 'node:crypto'
import nodeFs from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { digestOf } from '../../core/digest.ts'
import type { CommitSha } from '../../core/revision.ts'
import { archivedOf, followArchiveRecord } from '../record/archive-record.ts'
import { openProcessLock } from '../../storage/process-lock.ts'
import { removeFolder } from '../../storage/folders.ts'
import { GitExecutable } from '../../git/git-executable.ts'
import { objectFormatOf } from '../../git/object-format.ts'
import { GitRepository } from '../repository/git-repository.ts'
import type { ImportOptions } from './import-options.ts'
import { ABSENT, LiveFile } from '../sync/live-file.ts'
import { openObjectReader } from '../../git/readers/open-object-reader.ts'
import { sharedFs } from '../../git/shared-repository.ts'
import { openRepositoryFolder, type RepositoryFolder } from '../repository/repository-folder.ts'
import { unavailable } from '../../core/errors.ts'
import { type ImportCounts, writeCommits } from './write-commits.ts'
import { readGit } from './imported-commits.ts'

export interface ImportReport extends ImportCounts {
  /** The commit that the branch is at now. */
  readonly head: CommitSha | null
}

const IMPORTS = 'refs/cairn/import/'
/**
 * The refusal of a history whose older part is archived: imported commits are known by the commits
 * that brought them in.
 */
const INCOMPLETE =
  'Older revisions are in an archive, and an import has to know all of them: bring them back first, with "cairn archive --restore"'

/**
 * Imports the history of another repository on top of this one, and moves the branch when all of it
 * is on disk. The next import continues an interrupted one. No service may be running on the
 * repository; the live file and the index catch up at its next start.
 *
 * @throws {ServiceError} `unavailable` while another process holds the repository, or without git.
 */
export async function importHistory(options: ImportOptions): Promise<ImportReport> {
  const objectFormat = objectFormatOf(options.objectFormat ?? 'sha1')
  const git = await GitExecutable.find({ path: options.programPath })
  if (git === null) throw unavailable('An import needs the git program, version 2.30 or newer')
  const folder = await openRepositoryFolder({ ...options, fs: nodeFs, objectFormat, git })
  const fs = await sharedFs(nodeFs, folder.gitDir)
  await using lock = await openProcessLock(join(folder.ownDir, 'lock'))
  const { gitDir } = folder
  await using reader = await openObjectReader({ fs, gitDir, path: options.programPath })
  const archived = archivedOf(await followArchiveRecord({ store: { fs, gitDir }, reader }))
  if (archived !== null) throw unavailable(INCOMPLETE)
  const repository = new GitRepository({ fs, folder, reader }, options.fileName)
  const { branch, commit: head } = await repository.readHead()
  if (branch === null) throw unavailable(`The repository ${options.repository} is on no branch`)
  await repository.recover({ branch, commit: head })
  const headDocument = head === null ? null : await repository.findDocument(head)
  const base = { head, digest: headDocument === null ? null : digestOf(headDocument) }
  const ownDir = dirname(lock.file)
  return await importInto(options, { git, folder, ownDir, repository, branch, base })
}

interface Target {
  readonly git: GitExecutable
  readonly folder: RepositoryFolder
  readonly ownDir: string
  readonly repository: GitRepository
  readonly branch: string
  readonly base: { readonly head: CommitSha | null; readonly digest: string | null }
}

async function importInto(options: ImportOptions, target: Target): Promise<ImportReport> {
  const { git, folder, branch, base } = target
  const { gitDir } = folder
  const from = base.head
  const ref = `${IMPORTS}${createHash('sha1').update(options.name).digest('hex')}`
  const sourceDir = join(target.ownDir, 'import.git')
  await forgetOthers(target, ref)
  const tip = await options.fetch(sourceDir)
  const path = options.programPath
  await using source = await openObjectReader({ fs: nodeFs, gitDir: sourceDir, path })
  const { to, ...counts } = await writeCommits({ ...options, git, folder, base, ref, source, tip })
  if (to !== null && to !== from) {
    const move = {
      branch,
      from,
      to,
      time: options.clock(),
      username: 'Cairn',
      reason: 'import' as const,
    }
    if (!(await target.repository.advance(move)))
      throw unavailable(`Somebody else has moved ${branch}`)
  }
  if (from === null && to !== null) await beginLiveFile(options, target, to)
  await readGit({ git, gitDir }, ['update-ref', '-d', ref])
  await removeFolder(sourceDir)
  return { ...counts, head: to ?? from }
}

/** A history that begins with the import has no live file yet. */
async function beginLiveFile(
  { fileName }: ImportOptions,
  { folder, repository }: Target,
  head: CommitSha,
): Promise<void> {
  const document = await repository.findDocument(head)
  const live = new LiveFile(nodeFs, join(folder.path, fileName))
  if (document !== null) await live.replace(document, ABSENT)
}

/** Drops the progress of a different import, or of one on a commit that is no longer in the branch. */
async function forgetOthers({ git, folder, base }: Target, ref: string): Promise<void> {
  const { gitDir } = folder
  const upon = base.head === null ? [] : [`--contains=${base.head}`]
  const format = '--format=%(refname)'
  const all = await readGit({ git, gitDir }, ['for-each-ref', format, IMPORTS])
  const useful = await readGit({ git, gitDir }, ['for-each-ref', format, ...upon, ref])
  for (const each of all.split('\n').filter((name) => name !== '')) {
    if (!useful.split('\n').includes(each))
      await readGit({ git, gitDir }, ['update-ref', '-d', each])
  }
}
