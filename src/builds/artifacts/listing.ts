import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findInside } from './folders.ts'

/** One file of a job, with its path below the job's folder. */
export interface ListedFile {
  readonly path: string
  readonly size: number
}

export type FolderEntry =
  | { readonly type: 'file'; readonly name: string; readonly size: number }
  | { readonly type: 'folder'; readonly name: string }

/** Every regular file at or below a path, by name; links are left out. */
export async function listFiles(
  folder: string,
  segments: readonly string[],
): Promise<readonly ListedFile[]> {
  const real = await findInside(folder, segments)
  if (real === null) return []
  const facts = await stat(real)
  if (facts.isFile()) return [{ path: segments.join('/'), size: facts.size }]
  return facts.isDirectory() ? filesBelow(real, segments) : []
}

/** The content of a folder, folders first; null when it is not a folder of the job. */
export async function listFolder(
  folder: string,
  segments: readonly string[],
): Promise<readonly FolderEntry[] | null> {
  const real = await findInside(folder, segments)
  if (real === null || !(await stat(real)).isDirectory()) return null
  const entries = await entriesOf(real)
  return entries.toSorted((one, other) =>
    one.type === other.type ? compare(one.name, other.name) : one.type === 'folder' ? -1 : 1,
  )
}

async function filesBelow(real: string, segments: readonly string[]): Promise<ListedFile[]> {
  const files: ListedFile[] = []
  for (const entry of await entriesOf(real)) {
    const path = [...segments, entry.name]
    if (entry.type === 'file') files.push({ path: path.join('/'), size: entry.size })
    else files.push(...(await filesBelow(join(real, entry.name), path)))
  }
  return files.toSorted((one, other) => compare(one.path, other.path))
}

async function entriesOf(real: string): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = []
  for (const entry of await readdir(real, { withFileTypes: true })) {
    const { name } = entry
    if (entry.isDirectory()) entries.push({ type: 'folder', name })
    if (!entry.isFile()) continue
    entries.push({ type: 'file', name, size: (await stat(join(real, name))).size })
  }
  return entries
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
