import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** The entries of one name, such as `.git`, within the folders of a copy; that of the copy itself is not one of them. */
export async function* findNested(
  folder: string,
  name: string,
  isBelow = false,
): AsyncGenerator<Dirent> {
  for (const entry of await sortedEntries(folder)) {
    if (entry.name !== name) {
      if (entry.isDirectory()) yield* findNested(join(folder, entry.name), name, true)
    } else if (isBelow) yield entry
  }
}

/** The folders within a copy that have an entry of that name: copies of their own. Paths relative to the copy. */
export async function nestedCopies(folder: string, name: string): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { parentPath } of findNested(folder, name)) {
    found.push(relative(folder, parentPath))
  }
  return found
}

export async function sortedEntries(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
