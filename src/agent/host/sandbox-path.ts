import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'

/**
 * A path below a folder. Neither `..` nor a symbolic link leads out of the folder.
 *
 * @throws when the path is absolute or leads out.
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

/** The real path of what may not exist yet; a link to what does not exist still leads there. */
async function findRealPath(path: string): Promise<string> {
  const real = await orNullIfMissing(realpath(path))
  if (real !== null) return real
  const link = await orNullIfMissing(readlinkOf(path))
  if (link !== null) return findRealPath(resolve(dirname(path), link))
  return join(await findRealPath(dirname(path)), basename(path))
}

/** Where a symbolic link leads, or null for what is not one. */
async function readlinkOf(path: string): Promise<string | null> {
  return (await lstat(path)).isSymbolicLink() ? readlink(path) : null
}

/** What an access to files answers, or null where there is nothing. */
export async function orNullIfMissing<Value>(access: Promise<Value>): Promise<Value | null> {
  try {
    return await access
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    return null
  }
}
