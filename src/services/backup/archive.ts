import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import nodeFs, { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { constants } from 'node:zlib'
import { create, extract, list, type ReadEntry } from 'tar'
import { ServiceError } from '../../core/errors.ts'
import { syncFile } from '../../storage/sync-folder.ts'
import { ARTIFACTS, MANIFEST, type Part, PARTS } from './manifest.ts'

/** Uploads that are not finished, in the folder of the artifacts. */
const DRAFTS = '.drafts'
/** The bundle is compressed already, and the rest compresses well at any level. */
const GZIP = { level: constants.Z_BEST_SPEED }
const OWNER_ONLY = 0o600

export interface ArchiveRequest {
  /** The file to write. */
  readonly archive: string
  /** The folder that holds the manifest and the parts. */
  readonly folder: string
  readonly names: readonly string[]
  /** The folder of consoles and artifacts; null leaves them out. */
  readonly artifacts: string | null
}

/** Writes the archive, and has it on disk when it returns. */
export async function writeArchive(request: ArchiveRequest): Promise<void> {
  const { archive, folder, names, artifacts } = request
  const files = artifacts === null ? [] : await artifactFiles(artifacts)
  await create(
    {
      file: archive,
      cwd: folder,
      gzip: GZIP,
      mode: OWNER_ONLY,
      strict: true,
      noDirRecurse: true,
      preservePaths: true,
      onWriteEntry: (entry) => {
        if (artifacts !== null && entry.path.startsWith(artifacts))
          entry.path = `${ARTIFACTS}${entry.path.slice(artifacts.length)}`
      },
    },
    [...names, ...files],
  )
  await syncFile(nodeFs, archive)
}

/**
 * Reads the whole archive and gives the size and SHA-256 of each part in it; artifacts are read too.
 *
 * @throws {ServiceError} `unavailable` when it is damaged.
 */
export async function digestArchive(archive: string): Promise<readonly Part[]> {
  const parts: Promise<Part>[] = []
  const onReadEntry = (entry: ReadEntry) => {
    const name = Object.values(PARTS).find((known) => known === entry.path)
    if (name !== undefined) parts.push(digestEntry(entry, name))
  }
  await orDamaged(archive, () =>
    list({ file: archive, strict: true, maxDecompressionRatio: Infinity, onReadEntry }),
  )
  return Promise.all(parts)
}

/**
 * Unpacks an archive into an existing folder. Nothing but what a backup holds is unpacked.
 *
 * @throws {ServiceError} `unavailable` when it is damaged or no backup.
 */
export async function unpackArchive(archive: string, folder: string): Promise<void> {
  await orDamaged(archive, () =>
    extract({
      file: archive,
      cwd: folder,
      strict: true,
      maxDecompressionRatio: Infinity,
      preserveOwner: false,
      filter: (path, entry) => isOurs(path) && 'type' in entry && entry.type === 'File',
    }),
  )
}

/** The size and SHA-256 of a part that lies in a folder. */
export async function digestPart(folder: string, name: Part['name']): Promise<Part> {
  const file = join(folder, name)
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return { name, size: (await stat(file)).size, sha256: hash.digest('hex') }
}

function isOurs(path: string): boolean {
  const names: readonly string[] = [MANIFEST, ...Object.values(PARTS)]
  return names.includes(path) || path.startsWith(`${ARTIFACTS}/`)
}

async function digestEntry(entry: ReadEntry, name: Part['name']): Promise<Part> {
  const hash = createHash('sha256')
  entry.on('data', (chunk) => hash.update(chunk))
  await entry.promise()
  return { name, size: entry.size, sha256: hash.digest('hex') }
}

/** Regular files only: an artifact is never a link. */
async function artifactFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(folder, DRAFTS)))
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Tar and zlib say in many ways that a file is not what it should be. */
async function orDamaged(archive: string, read: () => Promise<void>): Promise<void> {
  try {
    await read()
  } catch (cause) {
    if (!(cause instanceof Error) || 'syscall' in cause) throw cause
    const reason = `${archive} is damaged, or is no backup: ${cause.message}`
    throw new ServiceError('unavailable', reason, { reason }, { cause })
  }
}
