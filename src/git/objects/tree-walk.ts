import type { CommitSha } from '../../core/revision.ts'
import { parseCommitTree } from './commit-object.ts'
import { damagedObject, MAX_OBJECT_BYTES, TooLargeError } from './damage.ts'
import type { RawObject, RawObjectReader } from './raw-object.ts'
import {
  findEntry,
  FOLDER_MODE,
  isFile,
  isRunnable,
  LINK_MODE,
  parseTree,
  SUBMODULE_MODE,
  type TreeEntry,
} from './tree-object.ts'

export interface TreePlace {
  readonly commit: CommitSha
  readonly path: string
}

/**
 * The bytes of a file at a commit, found folder by folder; null when there is no such file.
 * Symbolic links, submodules and files above the size limit do not count as files.
 *
 * @throws {DamageError} when the commit has the file but the repository lacks it.
 */
export async function findFileInTree(
  reader: RawObjectReader,
  place: TreePlace,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const entry = await findInTree(reader, place)
  if (entry === null || !isFile(entry)) return null
  const object = await readUnlessLarge(reader, entry.oid)
  return typeof object === 'object' && object.type === 'blob' ? object.content : null
}

/**
 * The name of a file's object at a commit; null when there is no such file. The file is not read.
 *
 * @throws {DamageError} when the repository lacks what leads to it.
 */
export async function findBlobInTree(
  reader: RawObjectReader,
  place: TreePlace,
): Promise<string | null> {
  const entry = await findInTree(reader, place)
  return entry !== null && isFile(entry) ? entry.oid : null
}

/**
 * Whether a commit has a file of that name. The file is not read, so the cost does not depend on
 * its size.
 *
 * @throws {DamageError} when the repository lacks what leads to it.
 */
export async function hasFileInTree(reader: RawObjectReader, place: TreePlace): Promise<boolean> {
  const entry = await findInTree(reader, place)
  return entry !== null && isFile(entry)
}

/**
 * Whether a commit has a file of that name with the executable bit.
 *
 * @throws {DamageError} when the repository lacks what leads to it.
 */
export async function isRunnableInTree(
  reader: RawObjectReader,
  place: TreePlace,
): Promise<boolean> {
  const entry = await findInTree(reader, place)
  return entry !== null && isFile(entry) && isRunnable(entry)
}

/** The name of the tree of a commit; null where there is no such commit. */
export async function findTree(reader: RawObjectReader, commit: CommitSha): Promise<string | null> {
  const object = await reader.findObject(commit)
  return object?.type === 'commit' ? parseCommitTree(object.content) : null
}

const KINDS: ReadonlyMap<string, string> = new Map([
  [LINK_MODE, 'a symbolic link'],
  [FOLDER_MODE, 'a folder'],
  [SUBMODULE_MODE, 'a submodule'],
])

/** The size of a file at a commit that is too large to be read; null for anything else. */
export async function findLargeSize(
  reader: RawObjectReader,
  place: TreePlace,
): Promise<number | null> {
  const entry = await findInTree(reader, place)
  const object = entry && isFile(entry) ? await readUnlessLarge(reader, entry.oid) : null
  return typeof object === 'number' ? object : null
}

/**
 * Describes the entry of a commit where {@link findFileInTree} finds no file; null when there is
 * none.
 */
export async function describeNoFile(
  reader: RawObjectReader,
  place: TreePlace,
): Promise<string | null> {
  const entry = await findInTree(reader, place)
  if (entry === null) return null
  const object = isFile(entry) ? await readUnlessLarge(reader, entry.oid) : null
  return typeof object === 'number' ? sizeInWords(object) : (KINDS.get(entry.mode) ?? 'no file')
}

function sizeInWords(size: number): string {
  return `a file of ${size} bytes (at most ${MAX_OBJECT_BYTES} are read)`
}

/** The object, or its size when that is too large. */
async function readUnlessLarge(reader: RawObjectReader, oid: string): Promise<RawObject | number> {
  try {
    return await readNamed(reader, oid)
  } catch (error) {
    if (error instanceof TooLargeError) return error.size
    throw error
  }
}

async function findInTree(
  reader: RawObjectReader,
  { commit, path }: TreePlace,
): Promise<TreeEntry | null> {
  const oid = await findTree(reader, commit)
  if (oid === null) return null
  let entry: TreeEntry = { mode: FOLDER_MODE, name: '', oid }
  for (const name of path.split('/')) {
    if (entry.mode !== FOLDER_MODE) return null
    const folder = await readNamed(reader, entry.oid)
    const next =
      folder.type === 'tree' ? findEntry(parseTree(folder.content, reader.format), name) : undefined
    if (next === undefined) return null
    entry = next
  }
  return entry
}

/** A referenced object has to exist; git reports a damaged object as `missing` too. */
async function readNamed(reader: RawObjectReader, oid: string): Promise<RawObject> {
  const object = await reader.findObject(oid)
  if (object !== null) return object
  throw damagedObject(oid)
}
