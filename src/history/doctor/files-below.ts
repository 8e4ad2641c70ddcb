import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'

/** Lists the files in a folder and its subfolders, while git may be removing some of them. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = (await orNullWhenAbsent(readdir(folder, { withFileTypes: true }))) ?? []
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name))
  const folders = entries.filter((entry) => entry.isDirectory())
  const below = await Promise.all(folders.map(({ name }) => filesBelow(join(folder, name))))
  return [...files, ...below.flat()]
}
