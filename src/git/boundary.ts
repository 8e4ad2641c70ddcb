import { join } from 'node:path'
import { unavailable } from '../core/errors.ts'
import { CommitSha } from '../core/revision.ts'
import { durableFs, replaceFile } from '../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { GitLock, removeStaleLock } from './git-lock.ts'
import type { GitStore } from './git-store.ts'

/** The commits whose parents are stored elsewhere: the beginning of a repository. */
export type Boundary = readonly CommitSha[]

const LOCK_TIMEOUT_MS = 3000

/**
 * The boundary that this service uses, in a file of its own: any tool may have written
 * `.git/shallow`, which could hide existing commits.
 */
export function boundaryFile(gitDir: string): string {
  return join(gitDir, 'cairn', 'boundary')
}

/** The boundary for other git commands, and other shallow commits. */
export function shallowFile(gitDir: string): string {
  return join(gitDir, 'shallow')
}

/** The boundary of a repository; empty when it has all of its history. */
export function readBoundary(store: GitStore): Promise<Boundary> {
  return readCommits(store, boundaryFile(store.gitDir))
}

/** The commits in `.git/shallow`. */
export function readShallow(store: GitStore): Promise<Boundary> {
  return readCommits(store, shallowFile(store.gitDir))
}

/**
 * Sets the boundary of the repository, for this service and for other git commands; other entries
 * of `.git/shallow` stay. A crash in between is completed by the next call. Only for the process
 * that holds the repository.
 *
 * @throws {ServiceError} `unavailable` when a git command holds `.git/shallow`.
 */
export async function alignBoundary(store: GitStore, wanted: Boundary): Promise<void> {
  const [own, shallow] = [await readBoundary(store), await readShallow(store)]
  const others = shallow.filter((commit) => !own.includes(commit))
  const next = [...new Set([...others, ...wanted])]
  if (!isSame(next, shallow)) await writeShallow(store, next)
  if (!isSame(own, wanted)) await writeBoundary(store, wanted)
}

/** Writes the boundary that this service obeys, and nothing for other git commands. */
export async function writeBoundary(store: GitStore, boundary: Boundary): Promise<void> {
  const { promises } = durableFs(store.fs)
  await promises.mkdir(join(store.gitDir, 'cairn'), { recursive: true })
  if (boundary.length > 0) {
    await replaceFile(boundaryFile(store.gitDir), renderBoundary(boundary), { fs: store.fs })
  } else await store.fs.rm(boundaryFile(store.gitDir), { force: true })
}

async function writeShallow(store: GitStore, commits: Boundary): Promise<void> {
  const file = shallowFile(store.gitDir)
  await removeStaleLock(store.fs, file)
  await using lock = await GitLock.open({ fs: store.fs, file, timeoutMs: LOCK_TIMEOUT_MS })
  await lock.prepare(renderBoundary(commits))
  if (commits.length > 0) {
    await lock.place()
    await lock.syncName()
  } else await store.fs.rm(file, { force: true })
}

/** The lines of a file with a boundary. */
export function renderBoundary(commits: Boundary): string {
  return commits.toSorted().join('\n') + (commits.length > 0 ? '\n' : '')
}

async function readCommits({ fs }: GitStore, file: string): Promise<Boundary> {
  const bytes = await orNullWhenAbsent(fs.readFile(file))
  const lines = Buffer.from(bytes ?? [])
    .toString('latin1')
    .split('\n')
  return lines.flatMap((line) => CommitSha.safeParse(line.trim()).data ?? [])
}

/**
 * Asserts that for other git commands, too, the repository begins at the boundary alone: commits
 * before a wrong beginning would be hidden, and could be removed.
 *
 * @throws {ServiceError} `unavailable`
 */
export async function assertNothingHidden(store: GitStore): Promise<void> {
  if (isSame(await readShallow(store), await readBoundary(store))) return
  const file = shallowFile(store.gitDir)
  throw unavailable(`${file} hides revisions that are there: remove that file first`)
}

function isSame(left: Boundary, right: Boundary): boolean {
  return renderBoundary(left) === renderBoundary(right)
}
