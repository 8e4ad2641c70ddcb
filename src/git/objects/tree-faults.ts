import { DamageError } from './damage.ts'
import type { RawObjectReader } from './raw-object.ts'
import { isNameAllowed, MAX_PATH_LENGTH, type TreePair } from './tree-changes.ts'
import {
  FOLDER_MODE,
  LINK_MODE,
  parseTree,
  sortKey,
  SUBMODULE_MODE,
  type TreeEntry,
} from './tree-object.ts'

/** The modes that git writes, and one of files that its oldest versions wrote. */
const MODES: readonly string[] = [
  '100644',
  '100755',
  '100664',
  FOLDER_MODE,
  LINK_MODE,
  SUBMODULE_MODE,
]

const MAX_SHOWN_LENGTH = 100

/**
 * The first fault that keeps git's index from following a tree, as a sentence; null when there is
 * none. Folders that are the same before or are in `seen` are not read; those that are read are
 * added to `seen`.
 */
export async function findTreeFault(
  reader: RawObjectReader,
  trees: TreePair,
  seen: Set<string>,
): Promise<string | null> {
  const pending = [{ ...trees, path: '' }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { before, after, path } = next
    if (after === null || after === before || seen.has(after)) continue
    seen.add(after)
    const entries = await readTree(reader, after)
    const fault = entries === null ? 'cannot be read as a tree' : findFault(entries, path)
    if (fault !== null) return `${path === '' ? 'its folder' : shownName(path)} ${fault}`
    const foldersBefore = before === null ? new Map() : foldersOf(await readTree(reader, before))
    for (const [name, oid] of foldersOf(entries)) {
      const pair = { before: foldersBefore.get(name) ?? null, after: oid }
      pending.push({ ...pair, path: `${path}${name}/` })
    }
  }
  return null
}

/** Null for an object that is missing, is no tree, or is too large. */
async function readTree(
  reader: RawObjectReader,
  oid: string,
): Promise<readonly TreeEntry[] | null> {
  try {
    const tree = await reader.findObject(oid)
    return tree?.type === 'tree' ? parseTree(tree.content, reader.format) : null
  } catch (error) {
    if (error instanceof DamageError || error instanceof RangeError) return null
    throw error
  }
}

function foldersOf(entries: readonly TreeEntry[] | null): ReadonlyMap<string, string> {
  const folders = (entries ?? []).filter(({ mode }) => mode === FOLDER_MODE)
  return new Map(folders.map(({ name, oid }) => [name, oid]))
}

/** The fault as a predicate. */
function findFault(entries: readonly TreeEntry[], path: string): string | null {
  const names = new Set<string>()
  let last: TreeEntry | null = null
  for (const entry of entries) {
    const { name, mode } = entry
    if (!MODES.includes(mode)) return `has ${shownName(name)} with the mode ${shownName(mode)}`
    if (!isNameAllowed(name)) return `has an entry with the name ${shownName(name)}`
    if (path.length + name.length > MAX_PATH_LENGTH)
      return `has a path of more than ${MAX_PATH_LENGTH} bytes`
    if (names.has(name)) return `has ${shownName(name)} twice`
    if (last !== null && sortKey(last) > sortKey(entry)) return 'is not in the order of git'
    names.add(name)
    last = entry
  }
  return null
}

/** A name, which is latin1 text, for a terminal. */
export function shownName(name: string): string {
  const text = Buffer.from(name, 'latin1').toString('utf8')
  const start = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH - 1)}…` : text
  return JSON.stringify(start).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
}
