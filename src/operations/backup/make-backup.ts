import nodeFs, { copyFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../lib/clock.ts'
import { unavailable } from '../../core/errors.ts'
import { type BundledHead, bundleRepository } from '../../git/bundle.ts'
import { unbundleHistory } from '../../history/archive/unbundle-history.ts'
import { copySqliteState } from '../../state/open-sqlite.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { passOn } from '../../storage/ownership.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { digestArchive, digestPart, writeArchive } from './archive.ts'
import { checkParts, type PartsReport } from './check-parts.ts'
import { MANIFEST, type Manifest, type BackupPart, PARTS } from './manifest.ts'
import { assertOutside } from '../separate-folders.ts'
import type { ServicePlaces } from '../service-places.ts'
import { openStaging } from './staging.ts'

export interface BackupOptions {
  readonly places: ServicePlaces
  readonly withArtifacts: boolean
  readonly clock: Clock
  readonly version: string
  readonly programPath: string | undefined
}

/** A written archive. */
export interface Backup {
  readonly file: string
  readonly manifest: Manifest
  /** Faults in the data of the service, and so in the copy. */
  readonly problems: readonly string[]
  /** Harmless oddities of that data, a sentence each. */
  readonly notes: readonly string[]
}

/**
 * Writes all data of a service into one archive, even while it runs and writes.
 *
 * The order makes it consistent. The state comes first, then the repository: revisions that the
 * state names were in the history before, so a repository that is read later has them. The keys
 * come last: a key is created before it seals anything and is never removed, so every sealed secret
 * in the repository has its key in a file that is read later still.
 *
 * The archive gets its name after it was read back and checked. With faults in the service's own
 * data it is still saved, but under another name.
 *
 * @throws {ServiceError} `unavailable` when something is missing, or the archive would lie in the
 * repository or among the artifacts; there is no archive then.
 */
export async function makeBackup(target: string, options: BackupOptions): Promise<Backup> {
  const { repository, artifactsDir } = options.places
  await assertOutside(target, { name: 'repository', path: repository })
  await assertOutside(target, { name: 'folder of artifacts', path: artifactsDir })
  await using staging = await openStaging(target)
  const { folder } = staging
  const time = options.clock()
  const head = await copyParts(folder, options)
  const report = await checkCopies(folder, head, options)
  const manifest = await describe(folder, { time, head, report, options })
  const archive = join(folder, 'archive')
  const artifacts = options.withArtifacts ? options.places.artifactsDir : null
  const names = [MANIFEST, ...manifest.parts.map(({ name }) => name)]
  await writeArchive({ archive, folder, names, artifacts })
  const written = await digestArchive(archive)
  if (!isDeepStrictEqual(written, manifest.parts)) {
    throw unavailable('The archive does not hold what was written to it')
  }
  const file = report.problems.length === 0 ? target : `${target}.unverified`
  await passOn({ path: archive, owner: await nodeFs.stat(dirname(file)) })
  await rename(archive, file)
  await syncFolder(nodeFs, dirname(file))
  return { file, manifest, problems: report.problems, notes: report.notes }
}

async function copyParts(folder: string, { places, programPath }: BackupOptions) {
  const { repository, stateDir, usersFile, keysFile } = places
  await copySqliteState(join(stateDir, PARTS.state), join(folder, PARTS.state))
  const bundle = join(folder, PARTS.bundle)
  const head = await bundleRepository({ repository, programPath, bundle })
  await orNullWhenAbsent(copyFile(keysFile, join(folder, PARTS.keys)))
  await orNullWhenAbsent(copyFile(usersFile, join(folder, PARTS.users)))
  await orNullWhenAbsent(copyFile(join(stateDir, PARTS.webhooks), join(folder, PARTS.webhooks)))
  return head
}

/** Restores the copies into a temporary folder, and reads everything in them. */
async function checkCopies(
  folder: string,
  head: BundledHead,
  { places, version, programPath }: BackupOptions,
): Promise<PartsReport> {
  const { fileName } = places
  const trial = join(folder, 'trial')
  const [repository, stateFile] = [join(trial, 'config-repo'), join(trial, PARTS.state)]
  await mkdir(trial)
  const bundle = join(folder, PARTS.bundle)
  await unbundleHistory(join(repository, '.git'), { programPath, bundle }, head)
  await copyFile(join(folder, PARTS.state), stateFile)
  return checkParts({ repository, fileName, stateFile, version, programPath })
}

interface Copied {
  readonly time: number
  readonly head: BundledHead
  readonly report: PartsReport
  readonly options: BackupOptions
}

async function describe(folder: string, { time, head, report, options }: Copied) {
  if (report.newest === null) throw unavailable('The repository holds no valid configuration')
  const parts = await Promise.all(
    Object.values(PARTS).map((name) => orNullWhenAbsent(digestPart(folder, name))),
  )
  const manifest: Manifest = {
    format: 'cairn backup 1',
    serverVersion: options.version,
    time,
    ...head,
    digest: report.newest.digest,
    revisions: report.revisions,
    fileName: options.places.fileName,
    hasArtifacts: options.withArtifacts,
    parts: parts.filter((part): part is BackupPart => part !== null),
  }
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  return manifest
}
