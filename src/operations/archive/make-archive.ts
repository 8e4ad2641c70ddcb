import { mkdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { unavailable } from '../../core/errors.ts'
import type { CommitSha } from '../../core/revision.ts'
import { boundaryOf } from '../../history/record/archive-record.ts'
import {
  type ArchiveOptions,
  type ArchiveTarget,
  openArchiveTarget,
  readIndex,
} from '../../history/archive/archive-target.ts'
import { ARCHIVE_BRANCH, checkArchive } from '../../history/archive/check-archive.ts'
import { listNeeded, listUnnamed } from '../../history/archive/drop-archived.ts'
import { finishMoving, moveOut } from '../../history/archive/move-out.ts'
import { type ArchivePlan, planArchive } from '../../history/archive/plan-archive.ts'
import { findForgotten } from '../../history/archive/trim-reflogs.ts'
import { DROPPED, listDropped } from '../../history/dropped/dropped-refs.ts'
import type { RevisionIndex } from '../../history/index/revision-index.ts'
import { measureRepository } from '../../history/upkeep/repository-size.ts'
import { bundleRefs } from '../../git/bundle.ts'
import { isThere } from '../../storage/fs-error.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { openStaging } from '../backup/staging.ts'
import { assertOutside } from '../separate-folders.ts'
import { sha256Of } from '../../storage/sha256.ts'

export interface ArchivingRequest {
  /** The file to write. */
  readonly file: string
  /** Milliseconds since the UNIX epoch: the first revision from then on stays. */
  readonly before: number
}

export interface MadeArchive {
  readonly revisions: number
  /** The number of the oldest revision that stays. */
  readonly firstKept: number
  /**
   * The number of its commits that stay in the repository because something else there needs them.
   */
  readonly stillThere: number
}

/** The refs in an archive of commits that only logs named, each named after its commit. */
const FORGOTTEN = 'refs/cairn/forgotten/'

/** The commits to move, and the files that go with them. */
interface Moved {
  readonly plan: ArchivePlan
  readonly index: RevisionIndex
  readonly forgotten: readonly CommitSha[]
  /** Commits with names that git clients do not see; not all of them are removed. */
  readonly dropped: readonly CommitSha[]
}

/**
 * Moves the oldest revisions of a stopped service into a file. They leave the repository only when
 * each was read back out of it. Commits keep their names and revisions their numbers.
 *
 * A crash leaves the repository as it was, or with the older revisions in the file; another call goes
 * on.
 *
 * @throws {ServiceError} `unavailable`, with the reason; nothing has changed then.
 */
export async function makeArchive(
  { file, before }: ArchivingRequest,
  options: ArchiveOptions & { readonly clock: Clock },
): Promise<MadeArchive> {
  const since = options.clock()
  await assertOutside(file, { name: 'repository', path: options.repository })
  await using target = await openArchiveTarget(options)
  const { git, store, branch } = target
  await finishMoving(target)
  const index = await readIndex(target, options)
  await assertFile(index, target, options)
  const plan = await planArchive({ git, gitDir: store.gitDir, index }, before)
  await assertRoom(file, target)
  const isArchived = (commit: CommitSha) => {
    const place = index.placeOf(commit)
    return place !== null && place < plan.commits
  }
  const unnamed = await listUnnamed(git, store.gitDir)
  const commits = unnamed.flatMap(({ type, oid }) => (type === 'commit' ? [oid] : []))
  const dropped = await listDropped(store)
  const others = [...commits, ...dropped]
  const forgotten = await findForgotten(git, store, { branch, others, isArchived })
  const moved = { plan, index, forgotten, dropped }
  const sha256 = await writeArchive(file, target, { options, moved })
  const gone = new Set<string>(forgotten)
  const staying = unnamed.map(({ oid }) => oid).filter((oid) => !gone.has(oid))
  const part = { sha256, time: since, ...plan }
  await moveOut(target, { part, isArchived, forgotten, unnamed: staying })
  const stillThere = (await listNeeded(git, store.gitDir)).filter(isArchived).length
  return { revisions: plan.revisions, firstKept: index.archived + plan.revisions + 1, stillThere }
}

/** The revisions that the history lists may be those of a file with another name. */
async function assertFile(
  index: RevisionIndex,
  { reader }: ArchiveTarget,
  { repository, fileName }: ArchiveOptions,
): Promise<void> {
  const commit = index.current()?.commit
  if (commit !== undefined && (await reader.findFile(commit, fileName)) !== null) return
  throw unavailable(`${repository} has no ${fileName}: the name of the file may be wrong`)
}

/** The archive, the repository to check it in, and the pack of the remaining objects. */
async function assertRoom(file: string, { store }: ArchiveTarget): Promise<void> {
  const { looseBytes, packBytes } = await measureRepository(store)
  const size = looseBytes + packBytes
  const beside = await existing(dirname(file))
  const places = [beside, beside, store.gitDir]
  const devices = await Promise.all(
    places.map(async (place) => {
      const { bavail, bsize } = await statfs(place)
      return { place, device: (await stat(place)).dev, free: bavail * bsize }
    }),
  )
  for (const { place, device, free } of devices) {
    const needed = size * devices.filter((each) => each.device === device).length
    if (free >= needed) continue
    throw unavailable(
      `There is not enough room at ${place}: ${inMiB(needed)} are needed, ${inMiB(free)} are free`,
    )
  }
}

/** The folder, or the nearest above it that is there. */
async function existing(folder: string): Promise<string> {
  return (await isThere(folder)) ? folder : existing(dirname(folder))
}

function inMiB(bytes: number): string {
  return `${Math.ceil(bytes / 1_048_576)} MiB`
}

interface Writing {
  readonly options: ArchiveOptions
  readonly moved: Moved
}

/**
 * Writes and checks the file, and returns its checksum. One that a call before has left is taken
 * when it has everything.
 */
async function writeArchive(
  file: string,
  target: ArchiveTarget,
  writing: Writing,
): Promise<string> {
  await mkdir(dirname(file), { recursive: true })
  await using staging = await openStaging(file)
  if (await isThere(file)) {
    await check(file, { staging: staging.folder, target, ...writing }).catch((cause: unknown) => {
      throw unavailable(`${file} is there, and is not what would be written: name another`, cause)
    })
    return sha256Of(file)
  }
  const draft = join(staging.folder, 'archive.bundle')
  const { store, git, reader } = target
  const { fs } = store
  const { plan, forgotten, dropped } = writing.moved
  const folderOf = (oid: CommitSha) => (dropped.includes(oid) ? DROPPED : FORGOTTEN)
  const refs = [
    `${plan.last} ${ARCHIVE_BRANCH}\n`,
    ...forgotten.map((oid) => `${oid} ${folderOf(oid)}${oid}\n`),
  ]
  await bundleRefs(git, {
    gitDir: store.gitDir,
    format: reader.format,
    refs: refs.toSorted((left, right) => (refOf(left) < refOf(right) ? -1 : 1)).join(''),
    head: `ref: ${ARCHIVE_BRANCH}`,
    bundle: draft,
  })
  await fs.chmod(draft, 0o600)
  await check(draft, { staging: staging.folder, target, ...writing })
  const sha256 = await sha256Of(draft)
  await fs.rename(draft, file)
  await syncFolder(fs, dirname(file))
  return sha256
}

function refOf(line: string): string {
  return line.slice(line.indexOf(' '))
}

interface Checking extends Writing {
  readonly staging: string
  readonly target: ArchiveTarget
}

async function check(
  file: string,
  { staging, target, options, moved: { plan, index, forgotten } }: Checking,
): Promise<void> {
  const { commits, last } = plan
  const { fileName, programPath } = options
  const archive = { file, last, lower: boundaryOf(target.parts), programPath }
  const revisions = revisionsOf(index, commits)
  const content = { commits, fileName, revisions, forgotten }
  await checkArchive(join(staging, 'check.git'), archive, content)
}

/** A thousand at a time, since each is read from the file of the index. */
function* revisionsOf(index: RevisionIndex, end: number) {
  for (let at = 0; at < end; at += 1000) {
    for (const { commit, revision } of index.entries(at, Math.min(end, at + 1000)))
      if (revision !== null) yield { commit, digest: revision.digest }
  }
}
