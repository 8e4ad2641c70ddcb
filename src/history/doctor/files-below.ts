import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'

/** The paths of all files in a folder and in those below, of which git may be removing some. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = (await orNullWhenAbsent(readdir(folder, { withFileTypes: true }))) ?? []
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name))
  const folders = entries.filter((entry) => entry.isDirectory())
  const below = await Promise.all(folders.map(({ name }) => filesBelow(join(folder, name))))
  return [...files, ...below.flat()]
}
