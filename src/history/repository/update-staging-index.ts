import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { GitLock, removeStaleLock } from '../../git/git-lock.ts'
import type { GitStore } from '../../git/git-store.ts'
import {
  type IndexRow,
  lengthOfFacts,
  NAME_AT,
  UnknownIndexError,
  parseIndex,
  renderIndex,
} from '../../git/staging-index.ts'
import { blobName } from '../../git/objects/raw-object.ts'
import { formatOfName, type ObjectFormat } from '../../git/object-format.ts'

/** The repository of the index. */
export interface StagingStore extends GitStore {
  readonly format: ObjectFormat
}

export interface IndexUpdate {
  readonly workTree: string
  /** The file, relative to the work tree, with `/` between folders. */
  readonly path: string
  /** The blob that HEAD has there. */
  readonly oid: string
  /** Whether HEAD has it with the executable bit. */
  readonly isExecutable: boolean
  /** The stats of the file when it certainly holds that blob; null when its content has to be compared. */
  readonly findClean?: () => Promise<BigIntStats | null>
}

/**
 * The outcome. After `updated`, `git status` reports the file as clean if it matches HEAD. After
 * `busy` and `unknown` the index is unchanged: a git command holds it, or only git can read its
 * format.
 */
export type IndexUpdateResult = 'updated' | 'busy' | 'unknown'

export interface IndexChangeOptions {
  /** The time to wait for a git command that holds the index, in milliseconds. */
  readonly timeoutMs?: number
  /** False where a power cut may bring the index before back, as the next start changes it again. */
  readonly isDurable?: boolean
  /** Whether a start can make these entries anew: then a power cut may also leave half of the index. */
  readonly isDerived?: (rows: readonly IndexRow[]) => Promise<boolean>
}

/** The next entries of the index; null leaves it unchanged. */
type MakeRows = (bytes: Buffer | null) => Promise<readonly IndexRow[] | null>

const LOCK_TIMEOUT_MS = 1000
const REGULAR = 0o100644
const EXECUTABLE = 0o100755
const MODE_AT = 24

/** Records one committed file in git's index and leaves every other entry unchanged. */
export function updateGitIndex(
  store: StagingStore,
  update: IndexUpdate,
  options: IndexChangeOptions = {},
): Promise<IndexUpdateResult> {
  return changeGitIndex(store, (rows) => replaceEntry(store, update, rows), options)
}

/** Replaces the entries of git's index under git's lock. */
export function changeGitIndex(
  store: StagingStore,
  change: (rows: readonly IndexRow[]) => Promise<readonly IndexRow[]>,
  options: IndexChangeOptions = {},
): Promise<IndexUpdateResult> {
  const make = (bytes: Buffer | null) =>
    change(bytes === null ? [] : parseIndex(bytes, store.format))
  return replaceGitIndex(store, make, options)
}

/** Replaces the whole of git's index under git's lock. */
export async function replaceGitIndex(
  { fs, gitDir, format }: StagingStore,
  make: MakeRows,
  { timeoutMs = LOCK_TIMEOUT_MS, isDurable = true, isDerived }: IndexChangeOptions = {},
): Promise<IndexUpdateResult> {
  const file = join(gitDir, 'index')
  try {
    await using lock = await GitLock.open({ fs, file, timeoutMs })
    const bytes = await orNullWhenAbsent(fs.readFile(file))
    const rows = await make(bytes && Buffer.from(bytes))
    if (rows === null) return 'updated'
    const isSynced = isDerived === undefined || !(await isDerived(rows))
    await lock.prepare(renderIndex(rows, format), { isSynced })
    await lock.place()
    if (isDurable) await lock.syncName()
    return 'updated'
  } catch (error) {
    if (error instanceof UnknownIndexError) return 'unknown'
    if (error instanceof ServiceError && error.code === 'unavailable') return 'busy'
    throw error
  }
}

/** The blob that the next `git commit` would have at a path; null when only git can determine it. */
export async function findStagedBlob(
  { fs, gitDir, format }: StagingStore,
  path: string,
): Promise<string | null> {
  const bytes = await orNullWhenAbsent(fs.readFile(join(gitDir, 'index')))
  if (bytes === null) return null
  try {
    const name = Buffer.from(path, 'utf8').toString('latin1')
    const row = parseIndex(Buffer.from(bytes), format).find((each) => each.path === name)
    return row?.stage === 0 ? nameIn(row) : null
  } catch (error) {
    if (error instanceof UnknownIndexError) return null
    throw error
  }
}

/**
 * Removes leftovers of a crash of this service beside the index. Only for the process that holds
 * the repository.
 */
export function removeStaleIndexLock({ fs, gitDir }: GitStore): Promise<void> {
  return removeStaleLock(fs, join(gitDir, 'index'))
}

async function replaceEntry(
  store: StagingStore,
  update: IndexUpdate,
  rows: readonly IndexRow[],
): Promise<readonly IndexRow[]> {
  const path = Buffer.from(update.path, 'utf8').toString('latin1')
  const stats = (await update.findClean?.()) ?? (await statsWhenClean(store, update))
  const facts = renderFacts(update.oid, stats, indexMode(update))
  const others = rows.filter((row) => !isInTheWay(row.path, path))
  return [...others, { path, stage: 0, facts, flags: 0, moreFlags: null }]
}

/**
 * Whether an entry conflicts with a path: the path itself in any stage, a folder of its name, or a
 * file in place of its folder.
 */
export function isInTheWay(other: string, path: string): boolean {
  return other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`)
}

/**
 * The stats of the live file, or null when its content is not the committed one. Without stats git
 * compares the content, so that a concurrent edit never counts as clean.
 */
async function statsWhenClean(
  { fs, format }: StagingStore,
  { workTree, path, oid }: IndexUpdate,
): Promise<BigIntStats | null> {
  const file = join(workTree, path)
  const before = await orNullWhenAbsent(fs.lstat(file, { bigint: true }))
  if (!before?.isFile()) return null
  const content = await orNullWhenAbsent(fs.readFile(file))
  if (content === null || blobName(content, format) !== oid) return null
  const after = await orNullWhenAbsent(fs.lstat(file, { bigint: true }))
  const unchanged = after?.ctimeNs === before.ctimeNs && after.ino === before.ino
  return unchanged ? before : null
}

/** The mode of a file in git's index, which knows two kinds of files. */
export function indexMode({ isExecutable }: Pick<IndexUpdate, 'isExecutable'>): number {
  return isExecutable ? EXECUTABLE : REGULAR
}

export function modeIn({ facts }: IndexRow): number {
  return Buffer.from(facts).readUInt32BE(MODE_AT)
}

/** The entry with another mode. */
export function withMode(row: IndexRow, mode: number): IndexRow {
  const facts = Buffer.from(row.facts)
  facts.writeUInt32BE(mode, MODE_AT)
  return { ...row, facts }
}

/** The object that an entry names. */
export function nameIn({ facts }: IndexRow): string {
  return Buffer.from(facts).toString('hex', NAME_AT)
}

/** The stats of an entry. Without stats git compares the content of the file. */
export function renderFacts(oid: string, stats: BigIntStats | null, mode: number): Uint8Array {
  const numbers = stats
    ? [
        ...seconds(stats.ctimeNs),
        ...seconds(stats.mtimeNs),
        stats.dev,
        stats.ino,
        BigInt(mode),
        stats.uid,
        stats.gid,
        stats.size,
      ]
    : [0n, 0n, 0n, 0n, 0n, 0n, BigInt(mode), 0n, 0n, 0n]
  const facts = Buffer.alloc(lengthOfFacts(formatOfName(oid)))
  numbers.forEach((number, n) => facts.writeUInt32BE(Number(BigInt.asUintN(32, number)), n * 4))
  facts.write(oid, NAME_AT, 'hex')
  return facts
}

function seconds(nanoseconds: bigint): readonly [bigint, bigint] {
  return [nanoseconds / 1_000_000_000n, nanoseconds % 1_000_000_000n]
}
