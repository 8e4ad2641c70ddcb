import nodeFs, { lstat, mkdir, open, realpath, type FileHandle } from 'node:fs/promises'
import { constants } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { malformedRequest, type ServiceError } from '../../core/errors.ts'
import { fsErrorCode } from '../../storage/fs-error.ts'
import { syncFolder } from '../../storage/sync-folder.ts'

const ABSENT: readonly (string | null)[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']

/**
 * The real path of a file below a folder; null when it does not exist, or a link leaves the folder.
 */
export async function findInside(
  root: string,
  segments: readonly string[],
): Promise<string | null> {
  const folder = await realOf(root)
  const real = folder === null ? null : await realOf(join(folder, ...segments))
  if (folder === null || real === null) return null
  return real === folder || real.startsWith(`${folder}${sep}`) ? real : null
}

/**
 * Creates the parent folders of a file, and returns its path. Links on the way are not followed.
 *
 * @throws {ServiceError} `malformed-request` when a file or a link is in the way.
 */
export async function makeRoom(root: string, segments: readonly string[]): Promise<string> {
  await makeFolders(root)
  let folder = root
  for (const segment of segments.slice(0, -1)) {
    folder = join(folder, segment)
    await makeFolder(folder)
  }
  return join(folder, segments.at(-1) ?? '')
}

/** Opens a regular file for reading; null for anything else. A named pipe does not block it. */
export async function openRegular(file: string): Promise<FileHandle | null> {
  const handle = await orNull(
    open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW),
  )
  if (handle === null || (await handle.stat()).isFile()) return handle
  await handle.close()
  return null
}

/** @throws {ServiceError} `malformed-request` that names the obstacle. */
export function inTheWay(file: string): ServiceError {
  return malformedRequest(`Something else is in the place of ${file}`, 'path')
}

async function makeFolders(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    await syncFolder(nodeFs, dirname(made))
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder)
    await syncFolder(nodeFs, dirname(folder))
  } catch (error) {
    const code = fsErrorCode(error)
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error
    if (code === 'ENOTDIR' || !(await lstat(folder)).isDirectory()) {
      throw inTheWay(folder.slice(folder.lastIndexOf(sep) + 1))
    }
  }
}

function realOf(path: string): Promise<string | null> {
  return orNull(realpath(path))
}

async function orNull<Value>(pending: Promise<Value>): Promise<Value | null> {
  try {
    return await pending
  } catch (error) {
    const code = fsErrorCode(error)
    if (ABSENT.includes(code) || code === 'ENXIO') return null
    throw error
  }
}
