import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { digestOf } from '../../core/digest.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { GitExecutable } from '../../git/git-executable.ts'
import { assertGitFolder } from '../../git/git-folder.ts'
import { plural } from '../../lib/plural.ts'
import { IndexFile } from '../index/index-file.ts'
import { IndexKeeper, NO_INDEX_STORE } from '../index/index-keeper.ts'
import type { Inspect } from '../revision/inspection.ts'
import { parseMessage } from '../revision/message.ts'
import type { ObjectReader } from '../../git/objects/object-reader.ts'
import { openObjectReader } from '../../git/readers/open-object-reader.ts'
import { readHead } from '../../git/refs.ts'
import { unavailable } from '../../core/errors.ts'
import { type IndexEntry, RevisionIndex } from '../index/revision-index.ts'
import { missingPromised } from '../../git/promised-objects.ts'
import { checkObjectsWith, type ObjectFaults } from '../../git/fsck.ts'
import { readBoundary } from '../../git/boundary.ts'
import {
  type Archived,
  archivedOf,
  isBoundaryOf,
  readArchiveRecord,
} from '../record/archive-record.ts'

export interface VerifyOptions {
  /** The folder of the repository and of its work tree. */
  readonly repository: string
  /** The live file, relative to that folder. */
  readonly fileName: string
  /** Judges the document of a commit. */
  readonly inspect: Inspect
  readonly serverEdition: string
  readonly serverVersion: string
  /** Where the git program is looked for: the `PATH`; null to do without it. */
  readonly programPath: string | undefined | null
}

export interface VerifyReport {
  readonly commits: number
  readonly revisions: number
  /** The number of older revisions in archives. */
  readonly archived: number
  /** The newest valid revision; null when there is none. */
  readonly newest: Revision | null
  /** Faults, a sentence each. */
  readonly problems: readonly string[]
  /** Harmless oddities, such as objects of adopted history in another form than git's, a sentence each. */
  readonly notes: readonly string[]
}

export type OnProgress = (progress: { readonly done: number; readonly total: number }) => void

interface Verification extends VerifyOptions {
  readonly gitDir: string
  readonly reader: ObjectReader
  readonly archived: Archived | null
}

/**
 * Checks a repository without changing it: the bytes of every revision against its digest, the
 * index against the history of the branch and, with a git program, every object. A service may be
 * running on it.
 *
 * @throws {ServiceError} `unavailable` when there is no history to check.
 */
export async function verifyRepository(
  options: VerifyOptions,
  onProgress: OnProgress = () => {},
): Promise<VerifyReport> {
  const gitDir = join(options.repository, '.git')
  await assertGitFolder(gitDir, options.repository)
  await using reader = await openObjectReader({
    fs: nodeFs,
    gitDir,
    path: options.programPath,
  })
  const verification = { ...options, gitDir, reader, archived: await findArchived(gitDir, reader) }
  const { index, indexProblems } = await compareIndex(verification)
  const documents = await checkDocuments(verification, { index, onProgress })
  const objects = await checkObjects(verification)
  return {
    commits: index.length,
    revisions: index.kept(),
    archived: verification.archived?.revisions ?? 0,
    newest: index.current(),
    problems: [...documents.problems, ...indexProblems, ...objects.damage],
    notes: [...documents.notes, ...objects.ofForm],
  }
}

/**
 * Finds the archived part in the record.
 *
 * @throws {ServiceError} `unavailable` when the repository does not begin there: a start was cut
 * off.
 */
async function findArchived(gitDir: string, reader: ObjectReader): Promise<Archived | null> {
  const store = { fs: nodeFs, gitDir }
  const parts = await readArchiveRecord({ store, reader })
  if (isBoundaryOf(parts, await readBoundary(store))) return archivedOf(parts)
  throw unavailable(`An archive of ${gitDir} is not complete: the next start completes it`)
}

/** Finds faults of the stored index of revisions. */
export async function findIndexProblems(options: VerifyOptions): Promise<readonly string[]> {
  const gitDir = join(options.repository, '.git')
  await using reader = await openObjectReader({ fs: nodeFs, gitDir, path: options.programPath })
  const archived = await findArchived(gitDir, reader)
  return (await compareIndex({ ...options, gitDir, reader, archived })).indexProblems
}

/**
 * Compares the stored index with the branch. It may be shorter, for each start extends it, but must
 * not differ.
 */
async function compareIndex(
  verification: Verification,
): Promise<{ index: RevisionIndex; indexProblems: readonly string[] }> {
  const { gitDir } = verification
  const path = join(gitDir, 'cairn', 'revisions')
  const file = new IndexFile({ fs: nodeFs, path }, verification)
  const stored = new RevisionIndex(await file.load(), verification.archived?.revisions)
  const { branch, commit } = await readHead({ fs: nodeFs, gitDir })
  if (commit === null) throw unavailable(`The branch ${branch} of ${gitDir} has no commits`)
  const keeper = new IndexKeeper(NO_INDEX_STORE, verification)
  await keeper.moveTo(commit)
  const entries = keeper.index.entries()
  const storedEntries = stored.entries()
  const wrong = storedEntries.findIndex((entry, at) => !isDeepStrictEqual(entry, entries[at]))
  const indexProblems = wrong < 0 ? [] : [describeDifference(storedEntries[wrong], entries[wrong])]
  if (file.isDamaged) {
    const commits = `${stored.length} ${plural(stored.length, 'commit')}`
    indexProblems.push(`The index is damaged after ${commits}`)
  }
  return { index: keeper.index, indexProblems }
}

function describeDifference(stored?: IndexEntry, read?: IndexEntry): string {
  const where = `The index differs from the history at commit ${stored?.commit}`
  return read?.commit === stored?.commit
    ? where
    : `${where}, where git has ${read?.commit ?? 'none'}`
}

async function checkDocuments(
  { reader, fileName }: Verification,
  { index, onProgress }: { index: RevisionIndex; onProgress: OnProgress },
): Promise<{ problems: readonly string[]; notes: readonly string[] }> {
  const [problems, notes, lost]: [string[], string[], string[]] = [[], [], []]
  const total = index.kept()
  const revisions = index.list({ offset: 0, limit: total })
  for (const [done, { commit, digest }] of revisions.entries()) {
    onProgress({ done, total })
    const document = await reader.findFile(commit, fileName)
    if (document === null) lost.push(`Commit ${commit} has lost its ${fileName}`)
    else if (digestOf(document) !== digest) {
      problems.push(`The ${fileName} of commit ${commit} does not have the digest ${digest}`)
    }
    const recorded = await recordedDigest(reader, commit)
    if (recorded !== null && recorded !== digest) {
      notes.push(`Commit ${commit} records the digest ${recorded}; its file has ${digest}`)
    }
  }
  onProgress({ done: total, total })
  if (lost.length < total) return { problems: [...lost, ...problems], notes }
  return { problems: [noConfigurationIn(fileName)], notes }
}

/** The one problem of a history that has no revision of a file. */
export function noConfigurationIn(fileName: string): string {
  return `No commit has a valid configuration in ${fileName}: the name of the file may be wrong`
}

async function recordedDigest(reader: ObjectReader, commit: CommitSha): Promise<string | null> {
  const record = await reader.findCommit(commit)
  return (record && parseMessage(record.message)?.digest) ?? null
}

async function checkObjects({ programPath, gitDir }: Verification): Promise<ObjectFaults> {
  const git = programPath === null ? null : await GitExecutable.find({ path: programPath })
  if (git === null) return { damage: [], ofForm: [] }
  const { damage, ofForm } = await checkObjectsWith(git, gitDir)
  const lost = (await missingPromised(git, gitDir)).map(
    (oid) => `The object ${oid} is missing, and was promised by another repository`,
  )
  return { damage: [...damage, ...lost], ofForm }
}
