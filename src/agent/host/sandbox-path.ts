import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'

/**
 * Resolves a path below a folder. Neither `..` nor a symbolic link may leave the folder.
 *
 * @throws when the path is absolute or leaves the folder.
 */
export async function resolveInside(folder: string, path: string | null): Promise<string> {
  const target = resolve(folder, path ?? '.')
  const real = await findRealPath(target)
  const inside = isInside(folder, target) && isInside(await realpath(folder), real)
  if (inside && !isAbsolute(path ?? '.')) return target
  throw new Error(`${path} is not inside the working folder`)
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return !isAbsolute(way) && way !== '..' && !way.startsWith('../')
}

/** The real path of a file that may not exist yet; a link to a missing file still counts. */
async function findRealPath(path: string): Promise<string> {
  const real = await orNullIfMissing(realpath(path))
  if (real !== null) return real
  const link = await orNullIfMissing(readlinkOf(path))
  if (link !== null) return findRealPath(resolve(dirname(path), link))
  return join(await findRealPath(dirname(path)), basename(path))
}

/** The target of a symbolic link, or null for anything else. */
async function readlinkOf(path: string): Promise<string | null> {
  return (await lstat(path)).isSymbolicLink() ? readlink(path) : null
}

/** The result of a file access, or null when the file is missing. */
export async function orNullIfMissing<Value>(access: Promise<Value>): Promise<Value | null> {
  try {
    return await access
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    return null
  }
}
