import nodeFs, { copyFile, cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseJsonOrNull } from '../../lib/parse-json.ts'
import { type ServiceError, unavailable } from '../../core/errors.ts'
import { restoreFolder } from '../../history/sync/restore-folder.ts'
import { atPath, fsErrorCode, isThere, orNullWhenAbsent } from '../../storage/fs-error.ts'
import { isDraftName } from '../../storage/file-draft.ts'
import { inheritanceOf, passOn } from '../../storage/ownership.ts'
import { openProcessLock } from '../../storage/process-lock.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { assertSeparate } from '../separate-folders.ts'
import { digestArchive, digestPart, unpackArchive } from './archive.ts'
import { checkParts, type PartsReport } from './check-parts.ts'
import { ARTIFACTS, MANIFEST, Manifest, type BackupPart, PARTS } from './manifest.ts'
import type { ServicePlaces } from '../service-places.ts'
import { beginRestore, endRestore, UNFINISHED } from './unfinished-restore.ts'

export interface RestoreOptions {
  /** The folders to create. The name of the live file is in the archive. */
  readonly places: Omit<ServicePlaces, 'fileName'>
  readonly version: string
  readonly programPath: string | undefined
}

export interface Restored extends PartsReport {
  readonly manifest: Manifest
  /** The files beside the repository that were written. */
  readonly files: readonly string[]
}

const MAY_STAND: readonly string[] = ['README.md', 'lost+found']
const UNPACKED = '.unpacked'

/**
 * Restores the folders of a service from an archive, and reads everything in them. No service
 * starts on them before this has succeeded.
 *
 * @throws {ServiceError} `unavailable` when a folder holds something or lies in the other, or the
 * archive is damaged.
 */
export async function restoreBackup(archive: string, options: RestoreOptions): Promise<Restored> {
  const { repository, stateDir, usersFile, keysFile, artifactsDir } = options.places
  await assertSeparate({ repository, stateDir, artifactsDir })
  // The archive is read to its end first, so that a damaged one leaves nothing behind.
  await atPath(archive, digestArchive(archive))
  const inherited = await Promise.all(
    [repository, stateDir, usersFile, keysFile, artifactsDir].map(inheritanceOf),
  )
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  await using lock = await openProcessLock(join(stateDir, 'lock'))
  await assertEmpty(dirname(lock.file), lock.names)
  await assertEmpty(repository, [])
  for (const file of [usersFile, keysFile]) {
    if (await isThere(file)) throw taken(file, 'is there')
  }
  await assertEmpty(artifactsDir, [])
  await beginRestore(stateDir)
  const manifest = await unpack(archive, join(stateDir, UNPACKED))
  const files = await place(manifest, options)
  const report = await check(manifest, options)
  for (const each of inherited) await passOn(each)
  if (report.problems.length === 0) await endRestore(stateDir)
  return { ...report, manifest, files }
}

async function unpack(archive: string, folder: string): Promise<Manifest> {
  await mkdir(folder, { mode: 0o700 })
  await unpackArchive(archive, folder)
  const manifest = await readManifest(archive, folder)
  for (const part of manifest.parts) await assertSame(archive, folder, part)
  return manifest
}

async function readManifest(archive: string, folder: string): Promise<Manifest> {
  const text = await orNullWhenAbsent(readFile(join(folder, MANIFEST), 'utf8'))
  const manifest = Manifest.safeParse(parseJsonOrNull(text ?? ''))
  if (manifest.success) return manifest.data
  throw unavailable(`${archive} is not a backup that this program can read`)
}

async function assertSame(archive: string, folder: string, part: BackupPart): Promise<void> {
  const { size, sha256 } = await digestPart(folder, part.name)
  if (size === part.size && sha256 === part.sha256) return
  throw unavailable(`${archive} is damaged: its ${part.name} is not what was put into it`)
}

/** Returns the files that it wrote beside the repository. */
async function place(
  manifest: Manifest,
  { places, programPath }: RestoreOptions,
): Promise<readonly string[]> {
  const { repository, stateDir, usersFile, keysFile, artifactsDir } = places
  const folder = join(stateDir, UNPACKED)
  const bundle = join(folder, PARTS.bundle)
  const { fileName } = manifest
  await restoreFolder({ repository, programPath, bundle, fileName }, manifest)
  if (manifest.hasArtifacts) await moveArtifacts(join(folder, ARTIFACTS), artifactsDir)
  const targets = new Map<BackupPart['name'], string>([
    [PARTS.users, usersFile],
    [PARTS.webhooks, join(stateDir, PARTS.webhooks)],
    [PARTS.keys, keysFile],
    [PARTS.state, join(stateDir, PARTS.state)],
  ])
  const files: string[] = []
  for (const [name, file] of targets) {
    if (!manifest.parts.some((part) => part.name === name)) continue
    await putFile(join(folder, name), file)
    files.push(file)
  }
  await rm(folder, { recursive: true })
  return files
}

/** There may have been none when the backup was made. The folder may be a mount, which is not replaced. */
async function moveArtifacts(from: string, to: string): Promise<void> {
  if (!(await isThere(from))) return
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const name of await readdir(from)) await moveFolder(join(from, name), join(to, name))
}

/** Where the other place is on another disk, it is copied. */
async function moveFolder(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (fsErrorCode(error) !== 'EXDEV') throw error
    await cp(from, to, { recursive: true, preserveTimestamps: true })
  }
}

async function putFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await copyFile(from, to)
  const handle = await nodeFs.open(to, 'r')
  try {
    await handle.chmod(0o600)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await syncFolder(nodeFs, dirname(to))
}

function check(
  { fileName }: Manifest,
  { places, version, programPath }: RestoreOptions,
): Promise<PartsReport> {
  const stateFile = join(places.stateDir, PARTS.state)
  return checkParts({ repository: places.repository, fileName, stateFile, version, programPath })
}

async function assertEmpty(folder: string, ours: readonly string[]): Promise<void> {
  const names = (await orNullWhenAbsent(readdir(folder))) ?? []
  if (names.includes(UNFINISHED)) throw taken(folder, 'holds a restore that was not finished')
  const others = names.filter(
    (name) => !ours.includes(name) && !MAY_STAND.includes(name) && !isDraftName(name),
  )
  if (others.length === 0) return
  throw taken(folder, `is not empty: ${others.toSorted().slice(0, 3).join(', ')}`)
}

function taken(path: string, how: string): ServiceError {
  return unavailable(`${path} ${how}; a backup is restored into empty folders only`)
}
