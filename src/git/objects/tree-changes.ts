import { damagedObject } from './damage.ts'
import type { RawObjectReader } from './raw-object.ts'
import { FOLDER_MODE, parseTree, type TreeEntry } from './tree-object.ts'

/** One path at which two trees differ; null where a tree has no file. */
export interface TreeChange {
  readonly before: TreeEntry | null
  readonly after: TreeEntry | null
}

export interface TreePair {
  /** The name of a tree; null stands for an empty one. */
  readonly before: string | null
  readonly after: string | null
}

/** A tree may name ten million files in a few objects, but git's index has an entry for each. */
export const MAX_DIFFERENCES = 100_000

/** The longest path that git itself writes. */
export const MAX_PATH_LENGTH = 4_095

/** Characters that some file systems ignore, so that another name may mean `.git` there. */
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * The paths other than folders at which two trees differ, as latin1 text. Folders that are equal
 * are not read, and names that no work tree may have are left out. Null above `most` entries.
 */
export async function listTreeChanges(
  reader: RawObjectReader,
  trees: TreePair,
  most: number,
): Promise<ReadonlyMap<string, TreeChange> | null> {
  const changes = new Map<string, TreeChange>()
  const pending = [{ ...trees, prefix: '' }]
  let seen = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [before, after] = [
      await readEntries(reader, next.before),
      await readEntries(reader, next.after),
    ]
    seen += before.size + after.size
    if (seen > most) return null
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const path = `${next.prefix}${name}`
      const pair = [before.get(name) ?? null, after.get(name) ?? null] as const
      if (isSame(...pair) || path.length > MAX_PATH_LENGTH || !isNameAllowed(name)) continue
      const [from, to] = [folderOf(pair[0]), folderOf(pair[1])]
      if (from !== to) pending.push({ before: from, after: to, prefix: `${path}/` })
      const change = { before: unlessFolder(pair[0]), after: unlessFolder(pair[1]) }
      if (!isSame(change.before, change.after)) changes.set(path, change)
    }
  }
  return changes
}

async function readEntries(
  reader: RawObjectReader,
  oid: string | null,
): Promise<ReadonlyMap<string, TreeEntry>> {
  if (oid === null) return new Map()
  const tree = await reader.findObject(oid)
  if (tree?.type !== 'tree') throw damagedObject(oid)
  return new Map(parseTree(tree.content, reader.format).map((entry) => [entry.name, entry]))
}

function isSame(one: TreeEntry | null, other: TreeEntry | null): boolean {
  return one?.oid === other?.oid && one?.mode === other?.mode
}

function folderOf(entry: TreeEntry | null): string | null {
  return entry?.mode === FOLDER_MODE ? entry.oid : null
}

function unlessFolder(entry: TreeEntry | null): TreeEntry | null {
  return entry?.mode === FOLDER_MODE ? null : entry
}

/** Git's index accepts no path that leads out of the work tree, or into `.git` on any file system. */
export function isNameAllowed(name: string): boolean {
  if (['', '.', '..'].includes(name) || name.includes('/')) return false
  const text = Buffer.from(name, 'latin1').toString('utf8').replaceAll(INVISIBLE, '')
  return text.split('\\').every((part) => !/^(?:\.git|git~1)[. ]*(?::|$)/i.test(part))
}
