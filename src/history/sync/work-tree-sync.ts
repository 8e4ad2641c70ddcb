import { join } from 'node:path'
import { CommitSha } from '../../core/revision.ts'
import { replaceFile } from '../../storage/durable-fs.ts'
import { fsErrorCode, orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import {
  CheckedOutFiles,
  type FileVersion,
  type FoundFile,
  isVersion,
  MAX_FILE_BYTES,
  foldersAbove,
} from './checked-out-files.ts'
import { isReachable } from '../../git/objects/commit-walk.ts'
import { DamageError } from '../../git/objects/damage.ts'
import { isStagedAs, SKIP_WORKTREE, stagedMode, stagedRow } from '../repository/staged-rows.ts'
import { changeGitIndex, isInTheWay, withMode } from '../repository/update-staging-index.ts'
import type { IndexRow } from '../../git/staging-index.ts'
import type { ObjectReader } from '../../git/objects/object-reader.ts'
import type { RepositoryFolder } from '../repository/repository-folder.ts'
import {
  listTreeChanges,
  MAX_DIFFERENCES,
  type TreeChange,
  type TreePair,
} from '../../git/objects/tree-changes.ts'
import { findTree } from '../../git/objects/tree-walk.ts'
import {
  isFile,
  isRunnable,
  LINK_MODE,
  SUBMODULE_MODE,
  type TreeEntry,
} from '../../git/objects/tree-object.ts'

export interface WorkTreeSyncOptions {
  readonly fs: FsPromises
  readonly folder: RepositoryFolder
  /** The path of the document, of which only the executable bit is synchronised here. */
  readonly fileName: string
  readonly reader: ObjectReader
}

type Changes = ReadonlyMap<string, TreeChange>

/** The files and bytes that one move of the branch may still check out. */
interface Room {
  files: number
  bytes: number
  /** Bytes that may be read, those of files included that turn out to be too large. */
  readable: number
}

/** One step that brings git's index up to date with the branch. */
interface Step {
  /** Whether the changes start at the commit that the index was last synchronised with. */
  readonly isForward: boolean
  readonly changes: Changes
}

/** The limit of files that one move of the branch checks out. */
const MAX_FILES = 1_000
const MAX_BYTES = MAX_FILE_BYTES
const MAX_READ_BYTES = 4 * MAX_BYTES

/**
 * Synchronises git's index and the other files of the work tree with the branch, after a move that
 * left them behind: a push, or `git update-ref`. Changes of an operator, staged or not, stay. Files
 * that are not checked out are marked so, or git would report them as deleted.
 */
export class WorkTreeSync {
  readonly #options: WorkTreeSyncOptions
  readonly #files: CheckedOutFiles
  readonly #note: string
  #head: CommitSha | null = null

  constructor(options: WorkTreeSyncOptions) {
    this.#options = options
    this.#files = new CheckedOutFiles({
      fs: options.fs,
      workTree: options.folder.path,
      format: options.reader.format,
    })
    this.#note = join(options.folder.ownDir, 'checked-out')
  }

  /** Notes a commit that changes only the document, so that no other file needs an update. */
  noteSaved(parent: CommitSha | null, commit: CommitSha): void {
    if (parent !== null && this.#head === parent) this.#head = commit
  }

  /** Notes that the branch was at an older commit meanwhile, to which git may have reset index and files. */
  noteReset(older: CommitSha, head: CommitSha): void {
    if (this.#head === head) this.#head = older
  }

  /** Synchronises with a commit. False when a git command holds the index. */
  async moveTo(head: CommitSha): Promise<boolean> {
    if (this.#head === head) return true
    const last = this.#head ?? (await this.#readNote())
    const step = await this.#stepTo(head, last)
    if (step !== null && step.changes.size > 0 && !(await this.#apply(step))) return false
    if (last === null || step === null || !step.isForward || step.changes.size > 0) {
      await replaceFile(this.#note, `${head}\n`, { fs: this.#options.fs })
    }
    this.#head = head
    return true
  }

  /**
   * Takes index and files from a commit that the branch was put back from: what is as that commit has it
   * follows. Nothing does while a git command holds the index.
   */
  async takeBack(from: CommitSha, to: CommitSha): Promise<void> {
    const { reader } = this.#options
    const [before, after] = [await findTree(reader, from), await findTree(reader, to)]
    const changes = await this.#listChanges({ before, after })
    if (changes !== null && changes.size > 0) await this.#apply({ isForward: true, changes })
    this.#head = to
  }

  async #readNote(): Promise<CommitSha | null> {
    const bytes = await orNullWhenAbsent(this.#options.fs.readFile(this.#note))
    const text = Buffer.from(bytes ?? []).toString('latin1')
    return CommitSha.safeParse(text.trim()).data ?? null
  }

  /** Null changes nothing: after a `git reset`, newer files belong to the operator. */
  async #stepTo(head: CommitSha, last: CommitSha | null): Promise<Step | null> {
    try {
      const { reader } = this.#options
      const [before, after] = [last && (await findTree(reader, last)), await findTree(reader, head)]
      if (last === null || before === null) return await this.#stepFromNothing(after)
      const changes = await this.#listChanges({ before, after })
      if (changes === null) return null
      if (changes.size === 0) return { isForward: true, changes }
      if (await isReachable(this.#options.reader, head, last)) return null
      if (await isReachable(this.#options.reader, last, head)) return { isForward: true, changes }
      return await this.#stepFromNothing(after)
    } catch (error) {
      if (error instanceof DamageError || error instanceof RangeError) return null
      throw error
    }
  }

  async #stepFromNothing(after: string | null): Promise<Step | null> {
    const changes = await this.#listChanges({ before: null, after })
    return changes && { isForward: false, changes }
  }

  async #listChanges(trees: TreePair): Promise<Changes | null> {
    const changes = await listTreeChanges(this.#options.reader, trees, MAX_DIFFERENCES)
    const own = this.#own
    const isSynchronised = ([path, change]: readonly [string, TreeChange]) =>
      path === own ? isChangeOfMode(change) : !isInTheWay(path, own)
    return changes && new Map([...changes].filter(isSynchronised))
  }

  /** The path of the document in the index. */
  get #own(): string {
    return latin1(this.#options.fileName)
  }

  async #apply({ isForward, changes }: Step): Promise<boolean> {
    const { fs, folder, reader } = this.#options
    const store = { fs, gitDir: folder.gitDir, format: reader.format }
    const room = { files: isForward ? MAX_FILES : 0, bytes: MAX_BYTES, readable: MAX_READ_BYTES }
    const result = await changeGitIndex(store, async (rows) => {
      const next = new IndexDraft(rows)
      const gone = [...changes].filter(([, { after }]) => after === null)
      for (const [path, change] of gone) await this.#drop(next, path, change)
      for (const [path, change] of changes) {
        if (path === this.#own) await this.#followMode(next, change)
        if (path === this.#own || change.after === null || !next.mayUpdate(path, change)) continue
        const isKept = !isForward && (await this.#look(path)).kind !== 'absent'
        if (!isKept) next.set(path, await this.#rowOf(path, change, { next, room }))
      }
      return next.rows()
    })
    return result !== 'busy'
  }

  /** Updates the executable bit of the document, whose content is already updated. */
  async #followMode(next: IndexDraft, { after }: TreeChange): Promise<void> {
    if (after === null) return
    await unlessRefused(this.#files.setExecutable(this.#options.fileName, isRunnable(after)))
    next.setMode(this.#own, stagedMode(after))
  }

  async #drop(next: IndexDraft, path: string, { before }: TreeChange): Promise<void> {
    if (!next.mayUpdate(path, { before, after: null })) return
    if (await this.#isAsBefore(path, before)) await this.#remove(path)
    next.remove(path)
  }

  async #isAsBefore(path: string, before: TreeEntry | null): Promise<boolean> {
    return before !== null && isFile(before) && isVersion(await this.#look(path), versionOf(before))
  }

  async #rowOf(
    path: string,
    { before, after }: TreeChange,
    { next, room }: { next: IndexDraft; room: Room },
  ): Promise<IndexRow> {
    if (after === null) throw new RangeError('A removed file has no entry')
    const found = await this.#look(path)
    const isOld = await this.#isAsBefore(path, before)
    const isNew = before === null && found.kind === 'absent'
    const content = isOld || isNew ? await this.#contentOf(path, after, room) : null
    if (content !== null) {
      const seen = isOld && before ? versionOf(before) : null
      const { isExecutable } = versionOf(after)
      await unlessRefused(this.#files.write(utf8(path), content, { seen, isExecutable }))
    } else if (isOld && !isVersion(found, versionOf(after))) {
      await this.#remove(path)
    }
    const now = await this.#look(path)
    if (now.kind !== 'absent') {
      const isClean = isFile(after) && isVersion(now, versionOf(after))
      return stagedRow(path, after, { stats: isClean && now.kind === 'file' ? now.stats : null })
    }
    // A file that an operator deleted from the work tree stays deleted, and git reports it.
    const isDeleted = found.kind === 'absent' && next.isCheckedOut(path)
    return stagedRow(path, after, { isSkipped: !isDeleted })
  }

  /** The content of a file that is checked out while there is room for it; null for any other. */
  async #contentOf(path: string, entry: TreeEntry, room: Room): Promise<Uint8Array | null> {
    const mayRead = room.files > 0 && room.readable > 0
    if (!mayRead || !isFile(entry) || latin1(utf8(path)) !== path) return null
    room.files -= 1
    const object = await orNullWhenDamaged(this.#options.reader.findObject(entry.oid))
    if (object?.type !== 'blob') return null
    room.readable -= object.content.length
    if (object.content.length > room.bytes) return null
    room.bytes -= object.content.length
    return object.content
  }

  async #remove(path: string): Promise<void> {
    await unlessRefused(this.#files.remove(utf8(path)))
  }

  async #look(path: string): Promise<FoundFile> {
    if (latin1(utf8(path)) !== path) return { kind: 'absent' }
    return (await unlessRefused(this.#files.look(utf8(path)))) ?? { kind: 'other' }
  }
}

/** A draft of the entries of git's index. */
class IndexDraft {
  readonly #rows: Map<string, IndexRow>
  /** Entries of an unfinished merge, several for one path, which belong to the operator. */
  readonly #unmerged: readonly IndexRow[]
  readonly #folders = new Set<string>()

  constructor(rows: readonly IndexRow[]) {
    this.#unmerged = rows.filter(({ stage }) => stage !== 0)
    const merged = rows.filter(({ stage }) => stage === 0)
    this.#rows = new Map(merged.map((row) => [row.path, row]))
  }

  rows(): readonly IndexRow[] {
    return [...this.#rows.values(), ...this.#unmerged]
  }

  /** Whether the entry matches the tree before. Any other was staged by an operator, or is up to date. */
  mayUpdate(path: string, { before, after }: TreeChange): boolean {
    if (after !== null && !isKnownKind(after)) return false
    const row = this.#rows.get(path)
    if (row !== undefined) return before !== null && isStagedAs(row, before)
    return before === null && !this.#isTaken(path)
  }

  isCheckedOut(path: string): boolean {
    const row = this.#rows.get(path)
    return row !== undefined && ((row.moreFlags ?? 0) & SKIP_WORKTREE) === 0
  }

  set(path: string, row: IndexRow): void {
    this.#rows.set(path, row)
  }

  setMode(path: string, mode: number): void {
    const row = this.#rows.get(path)
    if (row !== undefined) this.#rows.set(path, withMode(row, mode))
  }

  remove(path: string): void {
    this.#rows.delete(path)
  }

  /** Whether an entry is where a folder of this path would be, or below it. */
  #isTaken(path: string): boolean {
    if (this.#unmerged.some((row) => isInTheWay(row.path, path))) return true
    if (this.#folderNames().has(path)) return true
    return foldersAbove(path).some((parent) => this.#rows.has(parent))
  }

  #folderNames(): ReadonlySet<string> {
    if (this.#folders.size === 0)
      for (const path of this.#rows.keys())
        for (const parent of foldersAbove(path)) this.#folders.add(parent)
    return this.#folders
  }
}

function isKnownKind(entry: TreeEntry): boolean {
  return isFile(entry) || entry.mode === LINK_MODE || entry.mode === SUBMODULE_MODE
}

function isChangeOfMode({ before, after }: TreeChange): boolean {
  if (before === null || after === null || !isFile(before) || !isFile(after)) return false
  return isRunnable(before) !== isRunnable(after)
}

function versionOf(entry: TreeEntry): FileVersion {
  return { oid: entry.oid, isExecutable: isRunnable(entry) }
}

function utf8(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}

function latin1(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1')
}

/** Null for an object that cannot be read, or is too large. */
async function orNullWhenDamaged<Value>(pending: Promise<Value>): Promise<Value | null> {
  try {
    return await pending
  } catch (error) {
    if (error instanceof DamageError) return null
    throw error
  }
}

/** Null when the file system refuses, for example a name that is too long. */
async function unlessRefused<Value>(pending: Promise<Value>): Promise<Value | null> {
  try {
    return await pending
  } catch (error) {
    if (fsErrorCode(error) === null) throw error
    return null
  }
}
