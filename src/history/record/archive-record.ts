import { z } from 'zod'
import { parseJsonOrNull } from '../../lib/parse-json.ts'
import { unavailable } from '../../core/errors.ts'
import { CommitSha } from '../../core/revision.ts'
import { alignBoundary, type Boundary } from '../../git/boundary.ts'
import { looseObjects, writeLooseObjects } from '../../git/objects/loose-objects.ts'
import { named, type RawObjectReader } from '../../git/objects/raw-object.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import type { GitStore } from '../../git/git-store.ts'
import { updateRef } from '../../git/ref-update.ts'
import { runGit } from '../../git/run-git.ts'
import { readRef } from '../../git/refs.ts'
import { SERVICE_COMMITTER } from '../revision/classify.ts'

/** A part of the history that was moved into one file. */
const ArchivedPart = z.strictObject({
  /** The SHA-256 of the file. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** When it was made, in milliseconds since the UNIX epoch. */
  time: z.int(),
  revisions: z.int().positive(),
  commits: z.int().positive(),
  /** Its newest commit, whose ancestors are the rest of it. */
  last: CommitSha,
  /** The commits based on it: the beginning of the repository then. */
  boundary: z.array(CommitSha).readonly(),
})
export type ArchivedPart = z.infer<typeof ArchivedPart>

const ArchiveRecord = z.strictObject({
  format: z.literal('cairn archives 1'),
  /** Oldest first; none is empty. */
  parts: z.array(ArchivedPart).min(1).readonly(),
})

/** The archived part of a history, as far as other rooms need it. */
export interface Archived {
  readonly revisions: number
  /** The newest archived commit. */
  readonly last: CommitSha
}

/**
 * Names the record in the repository. It is a ref, so that backups hold it and `git gc` keeps it,
 * and all of it changes at once.
 */
export const RECORD = 'refs/cairn/archived'

/** A repository, and a reader of it. */
export interface RecordPlace {
  readonly store: GitStore
  readonly reader: RawObjectReader
}

/**
 * Reads the archived parts, oldest first; empty when there are none.
 *
 * @throws {ServiceError} `unavailable` when the record is damaged.
 */
export async function readArchiveRecord({
  store,
  reader,
}: RecordPlace): Promise<readonly ArchivedPart[]> {
  const oid = await readRef(store, RECORD)
  if (oid === null) return []
  const object = await reader.findObject(oid)
  const record = ArchiveRecord.safeParse(
    parseJsonOrNull(Buffer.from(object?.content ?? []).toString('utf8')),
  )
  if (record.success) return record.data.parts
  throw unavailable(`${RECORD} of ${store.gitDir} does not say what was archived: it is damaged`)
}

/**
 * Records a new archive. From then on the history begins after it.
 *
 * @throws {ServiceError} `unavailable` when somebody else has changed the record.
 */
export async function writeArchiveRecord(
  { store, reader }: RecordPlace,
  parts: readonly ArchivedPart[],
): Promise<void> {
  const text = JSON.stringify({ format: 'cairn archives 1', parts }, null, 2)
  const content = new Uint8Array(Buffer.from(`${text}\n`))
  const blob = named({ type: 'blob', content }, reader.format)
  await writeLooseObjects(store, await looseObjects([blob]))
  const who = { ...SERVICE_COMMITTER, time: parts.at(-1)?.time ?? 0 }
  const expected = await readRef(store, RECORD)
  const next = CommitSha.parse(blob.oid)
  const move = { ref: RECORD, expected, next, who, reason: 'archive' }
  const { state } = await updateRef(store, move)
  if (state === 'moved') throw unavailable(`Somebody else has changed ${RECORD}: try again`)
}

/** Removes the record: all of the history is in the repository again. */
export async function forgetArchives(git: GitExecutable, { gitDir }: GitStore): Promise<void> {
  await runGit(git, gitDir, ['-c', 'core.fsync=all', 'update-ref', '-d', RECORD])
}

/** Sums up archived parts; null when there are none. */
export function archivedOf(parts: readonly ArchivedPart[]): Archived | null {
  const last = parts.at(-1)?.last
  if (last === undefined) return null
  return { last, revisions: parts.reduce((sum, { revisions }) => sum + revisions, 0) }
}

/** The commits with which the history of the branch begins; empty when nothing is archived. */
export function boundaryOf(parts: readonly ArchivedPart[]): readonly CommitSha[] {
  return parts.at(-1)?.boundary ?? []
}

/**
 * The commits with which the repository begins: those of the branch, and those based on older
 * archives that are still there because another branch, tag or log needs them.
 */
async function wholeBoundaryOf(
  { reader }: Pick<RecordPlace, 'reader'>,
  parts: readonly ArchivedPart[],
): Promise<Boundary> {
  const boundary = new Set(boundaryOf(parts))
  for (const commit of parts.flatMap((part) => part.boundary)) {
    if ((await reader.findObject(commit)) !== null) boundary.add(commit)
  }
  return [...boundary]
}

/** Whether a repository with that boundary begins where it should. */
export function isBoundaryOf(parts: readonly ArchivedPart[], boundary: Boundary): boolean {
  const all = new Set(parts.flatMap((part) => part.boundary))
  const isAfterNewest = boundaryOf(parts).every((commit) => boundary.includes(commit))
  return isAfterNewest && boundary.every((commit) => all.has(commit))
}

/**
 * Reads the record, and sets the beginning of the repository accordingly. Only for the process that
 * holds the repository.
 */
export async function followArchiveRecord(place: RecordPlace): Promise<readonly ArchivedPart[]> {
  const parts = await readArchiveRecord(place)
  await alignBoundary(place.store, await wholeBoundaryOf(place, parts))
  return parts
}
