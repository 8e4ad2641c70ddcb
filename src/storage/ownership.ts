import type { Stats } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { unavailable } from '../core/errors.ts'
import { fsErrorCode, isThere, orNullWhenAbsent } from './fs-error.ts'
import type { FsHandle, FsPromises } from './fs-promises.ts'

/** The user and the group that a file belongs to, by their numbers. */
export type Owner = Pick<Stats, 'uid' | 'gid'>

const EVERYONE_READS = 0o004
const GROUP_READS = 0o040

/** Whether this process may give files to others. */
export function isRoot(): boolean {
  return process.geteuid?.() === 0
}

/**
 * The owner for a new file: the owner of the file that it replaces. Files that root creates belong
 * to the owner of their folder. Null for this process itself.
 */
export async function ownerToKeep(fs: FsPromises, file: string): Promise<Owner | null> {
  const former = await orNullWhenAbsent(fs.stat(file))
  if (former !== null || !isRoot()) return former
  return orNullWhenAbsent(fs.stat(dirname(file)))
}

/**
 * Gives a new file to the owner of the one that it replaces, or at least to its group.
 *
 * @throws {ServiceError} `unavailable` when the owner could not read it then.
 */
export async function giveFile(
  handle: Pick<FsHandle, 'chown'>,
  { file, now, next, mode }: { file: string; now: Owner; next: Owner; mode: number },
): Promise<void> {
  if (now.uid === next.uid && now.gid === next.gid) return
  if (await isGiven(handle, next)) return
  const hasGroup = await isGiven(handle, { uid: now.uid, gid: next.gid })
  const readers = hasGroup ? EVERYONE_READS | GROUP_READS : EVERYONE_READS
  if (now.uid === next.uid || (mode & readers) !== 0) return
  const whose = `${basename(file)} belongs to the user with the number ${next.uid}`
  throw unavailable(
    `${whose}, who could not read what the user ${now.uid} writes: run this as root`,
  )
}

async function isGiven(handle: Pick<FsHandle, 'chown'>, { uid, gid }: Owner): Promise<boolean> {
  try {
    await handle.chown(uid, gid)
    return true
  } catch (error) {
    if (fsErrorCode(error) !== 'EPERM') throw error
    return false
  }
}

/** A place that need not be there yet, and the owner that it is to have. */
export interface Inheritance {
  /** The place, or the first folder above it that is missing. */
  readonly path: string
  readonly owner: Owner
}

/** Finds the owner for a new file: that of the file it replaces, or of the folder above it. */
export async function inheritanceOf(place: string): Promise<Inheritance> {
  const owner = await orNullWhenAbsent(nodeFs.stat(place))
  if (owner !== null || dirname(place) === place) {
    return { path: place, owner: owner ?? { uid: 0, gid: 0 } }
  }
  const above = await inheritanceOf(dirname(place))
  const isMissing = !(await isThere(dirname(place)))
  return { path: isMissing ? above.path : place, owner: above.owner }
}

/** Gives everything at a place that root has filled to its owner. Links are not followed. */
export async function passOn({ path, owner }: Inheritance): Promise<void> {
  const stats = await orNullWhenAbsent(nodeFs.lstat(path))
  if (!isRoot() || stats === null || (owner.uid === 0 && owner.gid === 0)) return
  await nodeFs.lchown(path, owner.uid, owner.gid)
  if (!stats.isDirectory()) return
  for (const name of await nodeFs.readdir(path)) await passOn({ path: join(path, name), owner })
}
