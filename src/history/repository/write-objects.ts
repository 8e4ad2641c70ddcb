import { CommitSha } from '../../core/revision.ts'
import { parseCommitTree } from '../../git/objects/commit-object.ts'
import { damagedObject } from '../../git/objects/damage.ts'
import type { GitStore } from '../../git/git-store.ts'
import {
  type LooseObject,
  looseObjects,
  writeLooseObjects,
} from '../../git/objects/loose-objects.ts'
import {
  type NamedObject,
  type RawObject,
  type RawObjectReader,
  named,
} from '../../git/objects/raw-object.ts'
import type { ObjectFormat } from '../../git/object-format.ts'
import { type PackFiles, packOf, writePack } from '../../git/packs/write-pack.ts'
import { type Signature, renderSignature } from '../../git/signature.ts'
import {
  FOLDER_MODE,
  type TreeEntry,
  findEntry,
  parseTree,
  renderTree,
  withFile,
  withFolder,
} from '../../git/objects/tree-object.ts'

export interface BlobCommitDraft {
  /** Null begins a history. */
  readonly parent: CommitSha | null
  /** The file, relative to the work tree, with `/` between folders. */
  readonly path: string
  /** The name of the blob of the file. */
  readonly blob: string
  readonly author: Signature
  readonly committer: Signature
  readonly message: string
}

/** A commit and its trees, without the blob, not written yet. */
export interface PreparedCommit {
  readonly commit: CommitSha
  readonly objects: readonly NamedObject[]
}

/**
 * The number of objects, those of four saves, from which they are written as a pack: every loose
 * object is a sync of its own, often with one of its folder, and a disk does few of them at once.
 * Fewer are not packed, since many small packs slow down every look-up.
 */
const PACKED_FROM = 12

/** Objects in the form for the disk, each as a file of its own. */
export interface CompressedLoose {
  readonly loose: readonly LooseObject[]
}

/** Objects in the form for the disk, all in one file. */
export interface CompressedPack {
  readonly pack: PackFiles
}

export type CompressedObjects = CompressedLoose | CompressedPack

/** A commit together with the document that is its file. */
export interface CommitDraft extends Omit<BlobCommitDraft, 'blob'> {
  readonly document: Uint8Array<ArrayBuffer>
}

/**
 * A commit that differs from its parent in one file and keeps every other entry.
 * Writes nothing; the objects may be written in any order.
 *
 * @throws {RangeError} when the path cannot be one of a work tree.
 * @throws {DamageError} when the parent or one of its trees is not there.
 */
export async function prepareCommit(
  reader: RawObjectReader,
  draft: BlobCommitDraft,
): Promise<PreparedCommit> {
  const parts = partsOf(draft.path)
  const root = draft.parent === null ? null : await readRootTree(reader, draft.parent)
  const trees = await replaceInTree(reader, { tree: root, parts, oid: draft.blob })
  const content = Buffer.from(renderCommit(draft, trees.root.oid), 'utf8')
  const commit = named({ type: 'commit', content }, reader.format)
  return { commit: CommitSha.parse(commit.oid), objects: [...trees.below, trees.root, commit] }
}

/** A commit whose objects were written. */
export interface WrittenCommit extends PreparedCommit {
  readonly written: CompressedObjects
}

/** Prepares a commit and writes it. Once this returns, its objects are on disk; no branch has moved. */
export async function writeCommit(
  store: GitStore,
  reader: RawObjectReader,
  { document, ...draft }: CommitDraft,
): Promise<WrittenCommit> {
  const blob = named({ type: 'blob', content: document }, reader.format)
  const prepared = await prepareCommit(reader, { ...draft, blob: blob.oid })
  const written = await compressObjects([blob, ...prepared.objects], reader.format)
  await writeObjects(store, written)
  return { ...prepared, written }
}

/** Compresses objects of commits, older ones first, for {@link writeObjects}. */
export async function compressObjects(
  objects: readonly NamedObject[],
  format: ObjectFormat,
): Promise<CompressedObjects> {
  if (objects.length < PACKED_FROM) return { loose: await looseObjects(objects) }
  return { pack: await packOf(objects, format) }
}

/** Writes objects, which survive a power cut once this returns. No branch moves. */
export function writeObjects(store: GitStore, objects: CompressedObjects): Promise<void> {
  return 'pack' in objects
    ? writePack(store, objects.pack)
    : writeLooseObjects(store, objects.loose)
}

interface Replacement {
  readonly tree: readonly TreeEntry[] | null
  readonly parts: readonly [string, ...string[]]
  readonly oid: string
}

async function replaceInTree(
  reader: RawObjectReader,
  { tree, parts, oid }: Replacement,
): Promise<{ readonly root: NamedObject; readonly below: readonly NamedObject[] }> {
  const [name, next, ...rest] = parts
  const entries = tree ?? []
  if (next === undefined) {
    return { root: treeObject(reader, withFile(entries, { name, oid })), below: [] }
  }
  const entry = findEntry(entries, name)
  const inside = entry?.mode === FOLDER_MODE ? await readTree(reader, entry.oid) : null
  const replaced = await replaceInTree(reader, { tree: inside, parts: [next, ...rest], oid })
  const folder = { name, oid: replaced.root.oid }
  return {
    root: treeObject(reader, withFolder(entries, folder)),
    below: [...replaced.below, replaced.root],
  }
}

function treeObject({ format }: RawObjectReader, entries: readonly TreeEntry[]): NamedObject {
  return named({ type: 'tree', content: renderTree(entries) }, format)
}

async function readRootTree(
  reader: RawObjectReader,
  commit: CommitSha,
): Promise<readonly TreeEntry[]> {
  const { content } = await readObject(reader, { oid: commit, type: 'commit' })
  return readTree(reader, parseCommitTree(content))
}

async function readTree(reader: RawObjectReader, oid: string): Promise<readonly TreeEntry[]> {
  const { content } = await readObject(reader, { oid, type: 'tree' })
  return parseTree(content, reader.format)
}

async function readObject(
  reader: RawObjectReader,
  { oid, type }: { oid: string; type: string },
): Promise<RawObject> {
  const object = await reader.findObject(oid)
  if (object?.type !== type) throw damagedObject(oid)
  return object
}

function renderCommit(
  { parent, author, committer, message }: BlobCommitDraft,
  tree: string,
): string {
  return [
    `tree ${tree}\n`,
    parent === null ? '' : `parent ${parent}\n`,
    `author ${renderSignature(author)}\n`,
    `committer ${renderSignature(committer)}\n\n`,
    message.replaceAll('\0', '\u{fffd}'),
    message.endsWith('\n') ? '' : '\n',
  ].join('')
}

function partsOf(path: string): readonly [string, ...string[]] {
  const [first = '', ...rest] = path.split('/')
  const unusable = [first, ...rest].find(
    (part) => ['', '.', '..'].includes(part) || part.toLowerCase() === '.git' || /\0/.test(part),
  )
  if (unusable !== undefined) throw new RangeError(`${path} cannot be a file of a work tree`)
  return [first, ...rest]
}
