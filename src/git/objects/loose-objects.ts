import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { constants, createDeflate, deflateSync } from 'node:zlib'
import type { FsPromises } from '../../storage/fs-promises.ts'
import { fsErrorCode, orNullWhenAbsent } from '../../storage/fs-error.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { allOf } from '../../lib/all-of.ts'
import type { GitStore } from '../git-store.ts'
import { type NamedObject, type RawObject, objectHeader } from './raw-object.ts'
import { inVanishingFolder } from '../vanishing-folder.ts'

const FAST = { level: constants.Z_BEST_SPEED }
/** Bytes that are compressed in about a millisecond. */
const SMALL = 256 * 1024
/** The suffix length of git's own temporary files. */
const OWN_DRAFT = /^tmp_obj_[0-9a-f]{12}$/

/** An object in the form of a loose object file. */
export interface LooseObject {
  readonly oid: string
  readonly bytes: Uint8Array
}

export function compressObjects(objects: readonly NamedObject[]): Promise<readonly LooseObject[]> {
  return Promise.all(objects.map(compressObject))
}

export async function compressObject(object: NamedObject): Promise<LooseObject> {
  return { oid: object.oid, bytes: await compressed(object) }
}

/**
 * Writes objects that survive a power cut once this returns, in no particular order.
 *
 * An object that exists already is replaced: a tool that does not sync may have left it truncated,
 * and nobody would write it again.
 */
export async function writeLooseObjects(
  { fs, gitDir }: GitStore,
  objects: readonly LooseObject[],
): Promise<void> {
  const folders = await allOf(objects.map((object) => placeObject(fs, gitDir, object)))
  await allOf([...new Set(folders.flat())].map((folder) => syncObjects(fs, folder)))
}

/** Returns the folders that got new names. */
async function placeObject(
  fs: FsPromises,
  gitDir: string,
  { oid, bytes }: LooseObject,
): Promise<readonly string[]> {
  const folder = join(gitDir, 'objects', oid.slice(0, 2))
  let made = false
  const draft = await inVanishingFolder(
    () => writeDraft(fs, folder, bytes),
    async () => (made = (await makeFolder(fs, folder)) || made),
  )
  await renameOrRemove(fs, { draft, file: join(folder, oid.slice(2)) })
  return made ? [folder, dirname(folder)] : [folder]
}

/**
 * Small objects are compressed synchronously: the round trips to the thread pool would take longer
 * than the work.
 */
async function compressed({ type, content }: RawObject): Promise<Uint8Array> {
  const header = objectHeader(type, content.length)
  if (content.length <= SMALL) return deflateSync(Buffer.concat([header, content]), FAST)
  const deflate = createDeflate({ ...FAST, chunkSize: SMALL })
  deflate.write(header)
  deflate.end(content)
  return buffer(deflate)
}

/** A missing folder means that git has packed its objects. */
async function syncObjects(fs: FsPromises, folder: string): Promise<void> {
  try {
    await syncFolder(fs, folder)
  } catch (error) {
    if (fsErrorCode(error) !== 'ENOENT') throw error
    await syncFolder(fs, join(dirname(folder), 'pack'))
  }
}

async function makeFolder(fs: FsPromises, folder: string): Promise<boolean> {
  try {
    await fs.mkdir(folder)
    return true
  } catch (error) {
    if (fsErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** `git prune` treats this name as its own and removes leftovers of a crash. */
async function writeDraft(fs: FsPromises, folder: string, bytes: Uint8Array): Promise<string> {
  const draft = join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`)
  const handle = await fs.open(draft, 'wx', 0o444)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return draft
}

async function renameOrRemove(
  fs: FsPromises,
  { draft, file }: { draft: string; file: string },
): Promise<void> {
  try {
    await fs.rename(draft, file)
  } catch (error) {
    await Promise.allSettled([fs.rm(draft, { force: true })])
    throw error
  }
}

/** Removes drafts of a crash of this service. Only while it writes nothing else. */
export async function removeObjectDrafts({ fs, gitDir }: GitStore): Promise<void> {
  const objects = join(gitDir, 'objects')
  const folders = (await orNullWhenAbsent(fs.readdir(objects))) ?? []
  for (const folder of folders.filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    const names = (await orNullWhenAbsent(fs.readdir(join(objects, folder)))) ?? []
    const drafts = names.filter((name) => OWN_DRAFT.test(name))
    await Promise.all(drafts.map((name) => fs.rm(join(objects, folder, name), { force: true })))
  }
}
