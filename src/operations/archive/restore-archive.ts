import { unavailable } from '../../core/errors.ts'
import {
  type ArchivedPart,
  forgetArchives,
  followArchiveRecord,
  writeArchiveRecord,
} from '../../history/record/archive-record.ts'
import { type ArchiveOptions, openArchiveTarget } from '../../history/archive/archive-target.ts'
import { assertWhole, sha256OfArchive } from '../../history/archive/check-archive.ts'
import { nameDroppedOf } from '../../history/dropped/archived-drops.ts'
import { addBundledObjects } from '../../git/bundle.ts'

/**
 * Brings the revisions of an archive back into the repository of a stopped service: the history is
 * then what it was before. A crash leaves the archive to be brought back again.
 *
 * @throws {ServiceError} `unavailable`, with the reason; nothing has changed then.
 */
export async function restoreArchive(file: string, options: ArchiveOptions): Promise<ArchivedPart> {
  const sha256 = await sha256OfArchive(file)
  await using target = await openArchiveTarget(options)
  const { git, store, parts } = target
  const part = lastPart(parts, { file, sha256 })
  await addBundledObjects(git, store.gitDir, file)
  const rest = parts.slice(0, -1)
  await assertWhole(target, { part, rest })
  await nameDroppedOf(file, target)
  if (rest.length > 0) await writeArchiveRecord(target, rest)
  else await forgetArchives(git, store)
  await followArchiveRecord(target)
  return part
}

/** The part archived last, which is restored first. */
function lastPart(
  parts: readonly ArchivedPart[],
  { file, sha256 }: { file: string; sha256: string },
): ArchivedPart {
  const last = parts.at(-1)
  if (last?.sha256 === sha256) return last
  if (last === undefined) throw unavailable('Nothing of this repository is in an archive')
  if (parts.some((part) => part.sha256 === sha256)) {
    const when = new Date(last.time).toISOString()
    throw unavailable(
      `${file} is brought back after the archive that was made later, at ${when}: its SHA-256 is ${last.sha256}`,
    )
  }
  throw unavailable(`${file} is not an archive of this repository, or is not as it was written`)
}
