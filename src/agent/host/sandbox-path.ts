import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve } from 'node:path'

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

/** The real path of the nearest parent that exists, the rest added. */
async function findRealPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    const parent = await findRealPath(dirname(path))
    return resolve(parent, relative(dirname(path), path))
  }
}
