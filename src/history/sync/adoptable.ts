import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import type { CommitSha } from '../../core/revision.ts'
import { GitExecutable } from '../../git/git-executable.ts'
import { openObjectReader } from '../../git/readers/open-object-reader.ts'
import { readHead } from '../../git/refs.ts'
import { isThere } from '../../storage/fs-error.ts'
import { IndexKeeper, type KeeperContext, NO_INDEX_STORE } from '../index/index-keeper.ts'
import { invalidLiveFile, noConfiguration } from './first-commit.ts'
import { LiveFile } from './live-file.ts'
import type { VerifyOptions } from '../upkeep/verify.ts'
import { assertUsableFolder, asUnusable } from '../repository/repository-folder.ts'
import { assertNotShallow } from '../repository/repository-shape.ts'

const NO_HEAD = { branch: null, commit: null }

export interface AdoptionOptions extends VerifyOptions {
  readonly programPath: string | undefined
  /** A larger live file is not read, in bytes. */
  readonly largestDocument: number
}

/**
 * Refuses a repository that no service can begin with, before anything is made for one. A repository that was
 * served before is left to the start.
 *
 * @throws {ServiceError} `unavailable`, as the start would.
 */
export async function assertAdoptable(options: AdoptionOptions): Promise<void> {
  try {
    await assertFit(options)
  } catch (error) {
    throw asUnusable(error, options.repository)
  }
}

async function assertFit(options: AdoptionOptions): Promise<void> {
  const { repository, fileName, inspect, programPath } = options
  const store = { fs: nodeFs, gitDir: join(repository, '.git') }
  if (await isThere(join(store.gitDir, 'cairn'))) return
  const git = await GitExecutable.find({ path: programPath })
  await assertUsableFolder({ fs: nodeFs, repository, fileName, git })
  const path = join(repository, fileName)
  const live = await new LiveFile(nodeFs, path, options.largestDocument).read()
  const inspection = live.kind === 'file' ? await inspect(live.bytes) : null
  const { branch, commit } = (await isThere(store.gitDir)) ? await readHead(store) : NO_HEAD
  if (commit !== null) {
    await using reader = await openObjectReader({ ...store, path: programPath })
    await assertNotShallow(store, reader)
    // The commits are not read where a valid file is there.
    if (inspection?.ok !== true && (await hasRevision({ ...options, reader }, commit))) return
  }
  if (inspection?.ok === false) throw invalidLiveFile(path, inspection.problems)
  if (live.kind === 'absent' && branch !== null && commit !== null) {
    throw noConfiguration(branch, path)
  }
}

/** Whether a valid configuration is in a commit or one before it. */
async function hasRevision(reading: KeeperContext, commit: CommitSha): Promise<boolean> {
  const keeper = new IndexKeeper(NO_INDEX_STORE, reading)
  await keeper.moveTo(commit)
  return keeper.index.current() !== null
}
