import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import nodeFs, { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants } from 'node:zlib'
import { extract, Header, list, Pack, ReadEntry } from 'tar'
import { allOf } from '../../lib/all-of.ts'
import { unavailable } from '../../core/errors.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { syncFile } from '../../storage/sync-folder.ts'
import { ARTIFACTS, MANIFEST, type BackupPart, PARTS } from './manifest.ts'

/** The folder of unfinished uploads in the folder of the artifacts. */
const DRAFTS = '.drafts'
/** A low level: the bundle is compressed already, and the rest compresses well at any level. */
const GZIP = { level: constants.Z_BEST_SPEED }
const OWNER_ONLY = 0o600
const MODE = 0o777

export interface ArchiveRequest {
  /** The file to write. */
  readonly archive: string
  /** The folder that holds the manifest and the parts. */
  readonly folder: string
  readonly names: readonly string[]
  /** The folder of consoles and artifacts; null leaves them out. */
  readonly artifacts: string | null
}

/** Writes the archive durably. An artifact that is removed meanwhile, for example by a quota, is left out. */
export async function writeArchive(request: ArchiveRequest): Promise<void> {
  const { archive, folder, names, artifacts } = request
  const pack = new Pack({ gzip: GZIP, strict: true })
  const file = createWriteStream(archive, { mode: OWNER_ONLY })
  const broken = new AbortController()
  const written = pipeline(Readable.from(pack), file).catch((error: unknown) => {
    // After a failure, nothing reads the rest.
    broken.abort(error)
    throw error
  })
  await allOf([written, fill(pack, { folder, names, artifacts, signal: broken.signal })])
  await syncFile(nodeFs, archive)
}

async function fill(
  pack: Pack,
  from: Pick<ArchiveRequest, 'folder' | 'names' | 'artifacts'> & { readonly signal: AbortSignal },
): Promise<void> {
  const { folder, names, artifacts, signal } = from
  for (const path of names) await addFile(pack, { path, file: join(folder, path), signal })
  if (artifacts !== null) {
    for await (const path of filesBelow(artifacts)) {
      const file = join(artifacts, path)
      await addFile(pack, { path: `${ARTIFACTS}/${path}`, file, signal })
    }
  }
  pack.end()
}

/**
 * Adds a file with its size when it is opened: a console may grow meanwhile. Returns when it is written:
 * a pack that has several entries to write waits for ever where none of them is the next one.
 */
async function addFile(
  pack: Pack,
  { path, file, signal }: { path: string; file: string; signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted()
  await using handle = await orNullWhenAbsent(open(file))
  if (handle === null) return
  const { size, mtime, mode } = await handle.stat()
  const entry = new ReadEntry(new Header({ path, size, mtime, mode: mode & MODE, type: 'File' }))
  pack.add(entry)
  const content = size === 0 ? [] : handle.createReadStream({ end: size - 1, autoClose: false })
  for await (const chunk of content) if (!entry.write(chunk)) await once(entry, 'drain', { signal })
  const written = once(entry, 'end', { signal })
  entry.end()
  await written
}

/**
 * Reads the whole archive, artifacts included, and returns the size and SHA-256 of each part.
 *
 * @throws {ServiceError} `unavailable` when it is damaged.
 */
export async function digestArchive(archive: string): Promise<readonly BackupPart[]> {
  const parts: Promise<BackupPart>[] = []
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
 * Unpacks an archive into an existing folder. Other files than those of a backup are not unpacked.
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
export async function digestPart(folder: string, name: BackupPart['name']): Promise<BackupPart> {
  const file = join(folder, name)
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return { name, size: (await stat(file)).size, sha256: hash.digest('hex') }
}

function isOurs(path: string): boolean {
  const names: readonly string[] = [MANIFEST, ...Object.values(PARTS)]
  return names.includes(path) || path.startsWith(`${ARTIFACTS}/`)
}

async function digestEntry(entry: ReadEntry, name: BackupPart['name']): Promise<BackupPart> {
  const hash = createHash('sha256')
  entry.on('data', (chunk) => hash.update(chunk))
  await entry.promise()
  return { name, size: entry.size, sha256: hash.digest('hex') }
}

/** The files of the artifacts, by their paths there. Regular files only: an artifact is never a link. */
async function* filesBelow(folder: string, below = ''): AsyncGenerator<string> {
  const entries = await orNullWhenAbsent(readdir(join(folder, below), { withFileTypes: true }))
  for (const entry of entries ?? []) {
    const path = join(below, entry.name)
    if (entry.isFile()) yield path
    else if (entry.isDirectory() && path !== DRAFTS) yield* filesBelow(folder, path)
  }
}

/** Tar and zlib report a damaged file in many ways. */
async function orDamaged(archive: string, read: () => Promise<void>): Promise<void> {
  try {
    await read()
  } catch (cause) {
    if (!(cause instanceof Error) || 'syscall' in cause) throw cause
    throw unavailable(`${archive} is damaged, or is not a backup: ${cause.message}`, cause)
  }
}
