import nodeFs from 'node:fs/promises'
import { type BundledHead, type BundleOptions, unbundleRepository } from '../../git/bundle.ts'
import { openObjectReader } from '../../git/readers/open-object-reader.ts'
import { followArchiveRecord } from '../record/archive-record.ts'

/**
 * Creates a `.git` folder from the bundle of a repository. It begins where that one began, when older
 * revisions were in an archive.
 *
 * @throws {ServiceError} `unavailable`, with what git says; the bundle is damaged.
 */
export async function unbundleHistory(
  gitDir: string,
  options: BundleOptions,
  head: BundledHead,
): Promise<void> {
  await unbundleRepository(gitDir, options, head)
  const store = { fs: nodeFs, gitDir }
  await using reader = await openObjectReader({ ...store, path: options.programPath })
  await followArchiveRecord({ store, reader })
}
