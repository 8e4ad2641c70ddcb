import type { CommitSha } from '../core/revision.ts'
import { parseCommitTree } from './commit-object.ts'
import { damagedObject } from './damage.ts'
import type { RawObject, RawObjectReader } from './raw-object.ts'
import { SUBMODULE_MODE, findEntry, parseTree } from './tree-object.ts'

/**
 * The bytes of a file at a commit, found folder by folder; null when there is no such file.
 *
 * @throws {DamageError} when the commit has the file and the repository has not.
 */
export async function findFileInTree(
  reader: RawObjectReader,
  { commit, path }: { readonly commit: CommitSha; readonly path: string },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const found = await reader.findObject(commit)
  if (found?.type !== 'commit') return null
  let object = await readNamed(reader, parseCommitTree(found.content))
  for (const name of path.split('/')) {
    if (object.type !== 'tree') return null
    const entry = findEntry(parseTree(object.content), name)
    if (entry === undefined || entry.mode === SUBMODULE_MODE) return null
    object = await readNamed(reader, entry.oid)
  }
  return object.type === 'blob' ? object.content : null
}

/** What another object names has to be there: git says `missing` of a damaged object too. */
async function readNamed(reader: RawObjectReader, oid: string): Promise<RawObject> {
  const object = await reader.findObject(oid)
  if (object !== null) return object
  throw damagedObject(oid)
}
