import { realpath } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { orNullWhenAbsent } from './fs-error.ts'

/** An absolute path with links resolved, as far as it exists. */
export async function realPath(path: string): Promise<string> {
  const found = await orNullWhenAbsent(realpath(path))
  if (found !== null || dirname(path) === path) return found ?? path
  return join(await realPath(dirname(path)), basename(path))
}

/** Whether a path is a folder or below it; both are real paths. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}
