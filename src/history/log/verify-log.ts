import nodeFs, { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { writeEmptyRepository } from '../../git/empty-repository.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import { formatOfName } from '../../git/object-format.ts'
import { openObjectReader } from '../../git/readers/open-object-reader.ts'
import { readHead } from '../../git/refs.ts'
import { requireGit, tryGit } from '../../git/run-git.ts'
import { addPacks, isAncestor, type PackStore } from './log-packs.ts'
import type { LogEntry, RevisionLog } from './revision-log.ts'

export interface VerifyLogOptions {
  readonly log: RevisionLog
  /** The folder of the repository that follows the log. */
  readonly repository: string
  readonly programPath: string | undefined | null
}

/** Faults, and harmless differences, a sentence each. */
export interface LogReport {
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

/**
 * Checks a log without changing it: its sequence, every pack, and whether the repository is where
 * it is. Servers may be running.
 */
export async function verifyLog({
  log,
  repository,
  programPath,
}: VerifyLogOptions): Promise<LogReport> {
  const git = await requireGit(programPath)
  const head = await log.head()
  if (head === null) {
    return { problems: [], notes: ['The log is empty: the next start of a server begins it'] }
  }
  const scratch = await mkdtemp(join(tmpdir(), 'cairn-log-'))
  try {
    const store = await openScratch(git, { folder: scratch, programPath, head })
    await using _ = store.reader
    const faults = [...(await log.findFaults()), ...(await unreadable(store, { log, head }))]
    if (faults.length > 0) return { problems: faults, notes: [] }
    const { branch, commit } = await readHead({ fs: nodeFs, gitDir: join(repository, '.git') })
    if (commit === head.commit) return { problems: [], notes: [] }
    const where = `The branch ${branch} is at commit ${commit}, and the log at ${head.commit}, its entry ${head.sequence}`
    const here = { ...store, gitDir: join(repository, '.git') }
    if (commit !== null && (await isAncestor(store, commit, head.commit)))
      return { problems: [], notes: [`${where}: the next start catches up`] }
    if (commit !== null && (await isAncestor(here, head.commit, commit)))
      return { problems: [], notes: [`${where}: the next start adds what is new here`] }
    return { problems: [`${where}: neither is in the history of the other`], notes: [] }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function openScratch(
  git: GitExecutable,
  {
    folder,
    programPath,
    head,
  }: { folder: string; head: LogEntry } & Pick<VerifyLogOptions, 'programPath'>,
) {
  await writeEmptyRepository(nodeFs, folder, formatOfName(head.commit))
  const reader = await openObjectReader({ fs: nodeFs, gitDir: folder, path: programPath })
  return { git, gitDir: folder, reader }
}

/**
 * Adds all packs to an empty repository, which reads each of them, and looks for missing objects.
 */
async function unreadable(
  store: PackStore,
  { log, head }: { log: RevisionLog; head: LogEntry },
): Promise<readonly string[]> {
  try {
    await addPacks(store, log.packsAfter(0))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return [`The packs of the log cannot be read: ${error.message}`]
  }
  const args = ['rev-list', '--objects', '--quiet', head.commit]
  const { isDone, errors } = await tryGit(store.git, store.gitDir, args)
  return isDone ? [] : [`The packs of the log lack objects of its newest commit: ${errors.trim()}`]
}
