import { dirname, join } from 'node:path'
import { allOf } from '../../lib/all-of.ts'
import { fsErrorCode } from '../../storage/fs-error.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import type { GitStore } from '../git-store.ts'
import { deflated } from './deflate.ts'
import { ObjectDraft } from './object-file.ts'
import { type NamedObject, objectHeader } from './raw-object.ts'

/** An object in the form of a loose object file. */
export interface LooseObject {
  readonly oid: string
  readonly bytes: Uint8Array
}

export function looseObjects(objects: readonly NamedObject[]): Promise<readonly LooseObject[]> {
  return Promise.all(
    objects.map(async ({ oid, type, content }) => {
      return {
        oid,
        bytes: await deflated([Buffer.from(objectHeader(type, content.length)), content]),
      }
    }),
  )
}

/**
 * Writes objects, each as a file of its own. They survive a power cut once this returns; they are
 * written in no particular order. An existing object is replaced: a tool that does not sync may
 * have left it truncated, and it would never be written again.
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
  await using draft = await ObjectDraft.write(fs, {
    kind: 'obj',
    folder,
    name: oid.slice(2),
    bytes,
  })
  return await draft.place()
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
