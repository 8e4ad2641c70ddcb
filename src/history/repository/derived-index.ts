import type { CommitSha } from '../../core/revision.ts'
import { DamageError } from '../../git/objects/damage.ts'
import type { RawObject, RawObjectReader } from '../../git/objects/raw-object.ts'
import { listTreeChanges, MAX_DIFFERENCES } from '../../git/objects/tree-changes.ts'
import type { TreeEntry } from '../../git/objects/tree-object.ts'
import { findTree } from '../../git/objects/tree-walk.ts'
import { type IndexRow, isTornIndex } from '../../git/staging-index.ts'
import { isStagedAs, stagedRow } from './staged-rows.ts'
import { replaceGitIndex, type StagingStore } from './update-staging-index.ts'

export interface IndexRestore {
  readonly commit: CommitSha
  /** Keeps the bytes that git cannot read, before others take their place. */
  readonly keep: (bytes: Uint8Array) => Promise<void>
}

/** A save looks at no more entries than this: a sync takes less time than the look. */
const MAX_LOOKED_AT = 1_000
const ASSUME_UNCHANGED = 0x8000

/** Tells whether git's index has nothing that its commit does not have. */
export class DerivedIndexes {
  readonly #reader: RawObjectReader
  #trees: ReadonlyMap<string, RawObject> = new Map()

  constructor(reader: RawObjectReader) {
    this.#reader = reader
  }

  /** False where somebody has staged or marked something, and where it would take long to know. */
  async isDerived(rows: readonly IndexRow[], commit: CommitSha): Promise<boolean> {
    if (rows.length > MAX_LOOKED_AT) return false
    const files = await listFiles(this.#keeping(), commit, MAX_LOOKED_AT)
    return files?.size === rows.length && rows.every((row) => isAsIn(files, row))
  }

  /** Keeps the trees of the last look, since the next commit has nearly all of them. */
  #keeping(): RawObjectReader {
    const [before, seen] = [this.#trees, new Map<string, RawObject>()]
    this.#trees = seen
    const findObject = async (oid: string): Promise<RawObject | null> => {
      const found = before.get(oid) ?? (await this.#reader.findObject(oid))
      if (found?.type === 'tree') seen.set(oid, found)
      return found
    }
    return { format: this.#reader.format, findObject }
  }
}

/**
 * Makes git's index anew from a commit when a power cut has left a part of it: git reads no such
 * index. Only for the process that holds the repository.
 */
export async function restoreTornIndex(
  store: StagingStore,
  reader: RawObjectReader,
  { commit, keep }: IndexRestore,
): Promise<void> {
  await replaceGitIndex(store, async (bytes) => {
    if (bytes === null || !isTornIndex(bytes, store.format)) return null
    const files = await listFiles(reader, commit, MAX_DIFFERENCES)
    if (files === null) return null
    await keep(bytes)
    return [...files].map(([path, entry]) => stagedRow(path, entry))
  })
}

function isAsIn(files: ReadonlyMap<string, TreeEntry>, row: IndexRow): boolean {
  const { path, stage, flags, moreFlags } = row
  const isMarked = moreFlags !== null || (flags & ASSUME_UNCHANGED) !== 0
  const entry = files.get(path)
  return stage === 0 && !isMarked && entry !== undefined && isStagedAs(row, entry)
}

/** The files of a commit by their paths, as latin1 text; null for one of more entries or with damage. */
async function listFiles(
  reader: RawObjectReader,
  commit: CommitSha,
  most: number,
): Promise<ReadonlyMap<string, TreeEntry> | null> {
  try {
    const after = await findTree(reader, commit)
    if (after === null) return null
    const changes = await listTreeChanges(reader, { before: null, after }, most)
    if (changes === null) return null
    const files = new Map<string, TreeEntry>()
    for (const [path, { after: file }] of changes) if (file !== null) files.set(path, file)
    return files
  } catch (error) {
    if (error instanceof DamageError || error instanceof RangeError) return null
    throw error
  }
}
