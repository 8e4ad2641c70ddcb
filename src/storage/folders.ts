import { lstat, rm, readdir, readlink, realpath } from 'node:fs/promises'
import { renameSync } from 'node:fs'
import { join, basename, dirname, resolve, sep } from 'node:path'
import { draftName } from './file-draft.ts'
import { orNullWhenAbsent } from './fs-error.ts'

/** Retries for programs that briefly outlive their parent: two and a half seconds in total. */
const RETRIES = { maxRetries: 9, retryDelay: 50 }

/**
 * Removes a folder with its content, if it exists. A git that outlived its killed parent may still
 * write there: new files are removed too.
 */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, ...RETRIES })
}

/**
 * Removes every folder that is not needed. Each is moved aside within the call, so that a folder
 * needed again meanwhile starts empty and is not removed.
 */
export async function removeOthers(
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<void> {
  for (const name of (await orNullWhenAbsent(readdir(folder))) ?? []) {
    if (isWanted(name)) continue
    const trash = join(folder, draftName())
    renameSync(join(folder, name), trash)
    await removeFolder(trash)
  }
}

/** Lists the files in a folder and its subfolders, while git may be removing some of them. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = (await orNullWhenAbsent(readdir(folder, { withFileTypes: true }))) ?? []
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name))
  const folders = entries.filter((entry) => entry.isDirectory())
  const below = await Promise.all(folders.map(({ name }) => filesBelow(join(folder, name))))
  return [...files, ...below.flat()]
}

/** An absolute path with links resolved, also one to a place where nothing is yet. */
export async function realPath(path: string): Promise<string> {
  const found = await orNullWhenAbsent(realpath(path))
  if (found !== null || dirname(path) === path) return found ?? path
  const folder = await realPath(dirname(path))
  const isLink = (await orNullWhenAbsent(lstat(path)))?.isSymbolicLink() === true
  return isLink ? realPath(resolve(folder, await readlink(path))) : join(folder, basename(path))
}

/** Whether a path is a folder or below it; both are real paths. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}
