import nodeFs from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Digest, digestOf } from '../../core/digest.ts'
import { unavailable } from '../../core/errors.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { DamageError } from '../../git/objects/damage.ts'
import type { ObjectReader } from '../../git/objects/object-reader.ts'
import { openObjectReader } from '../../git/readers/open-object-reader.ts'
import { isThere } from '../../storage/fs-error.ts'
import { removeFolder } from '../../storage/folders.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { DroppedRevisions } from '../dropped/dropped-revisions.ts'
import { IndexFile, type IndexOrigin } from '../index/index-file.ts'
import { IndexKeeper } from '../index/index-keeper.ts'
import type { RevisionIndex } from '../index/revision-index.ts'
import { type ArchivedPart, archivedOf, boundaryOf } from '../record/archive-record.ts'
import type { Classification } from '../revision/classify.ts'
import { sha256OfArchive, unbundleArchive } from './check-archive.ts'

export interface ArchivePlaces {
  readonly files: readonly string[]
  /** Where a repository is made of each file, once. */
  readonly folder: string
}

export interface ServedArchivesOptions extends Classification, Omit<IndexOrigin, 'archived'> {
  readonly archives: ArchivePlaces
  readonly programPath: string | undefined | null
}

interface ServedArchive {
  readonly index: RevisionIndex
  readonly reader: ObjectReader
  /** Revisions that a rewrite had taken from the branch before, and those archived with them. */
  readonly dropped: DroppedRevisions
}

/** The revisions of archives that are at hand, to be read and not to be listed. */
export class ServedArchives implements AsyncDisposable {
  readonly #archives: readonly ServedArchive[]
  readonly #fileName: string

  private constructor(archives: readonly ServedArchive[], fileName: string) {
    this.#archives = archives
    this.#fileName = fileName
  }

  /**
   * Opens archives of a repository. Derived data of each is stored under the checksum of its file.
   *
   * @throws {ServiceError} `unavailable` for a file that is no archive of it.
   */
  static async open(
    parts: readonly ArchivedPart[],
    options: ServedArchivesOptions,
  ): Promise<ServedArchives> {
    const opened: ServedArchive[] = []
    const archives = new ServedArchives(opened, options.fileName)
    try {
      for (const file of new Set(options.archives.files)) {
        const sha256 = await sha256OfArchive(file)
        const place = parts.findIndex((part) => part.sha256 === sha256)
        const part = parts[place]
        if (part === undefined) {
          throw unavailable(
            `${file} is not an archive of this repository, or is not as it was written`,
          )
        }
        opened.push(await openArchive(file, { part, older: parts.slice(0, place), options }))
      }
      return archives
    } catch (error) {
      await archives[Symbol.asyncDispose]()
      throw error
    }
  }

  find(digest: Digest): Revision | null {
    return this.#first(({ index }) => index.find(digest))
  }

  findCommit(commit: CommitSha): Revision | null {
    return this.#first(({ index }) => index.findCommit(commit))
  }

  /** The newest revision with this digest that the branch once had. */
  findDropped(digest: Digest): Promise<Revision | null> {
    return this.#firstOf(({ dropped }) => dropped.find(digest))
  }

  findDroppedCommit(commit: CommitSha): Promise<Revision | null> {
    return this.#firstOf(({ dropped }) => dropped.findCommit(commit))
  }

  numberOf(commit: CommitSha): number | null {
    return this.#first(({ index }) => index.numberOf(commit))
  }

  basesOf(commit: CommitSha): readonly CommitSha[] | null {
    return this.#first(({ index }) => index.basesOf(commit))
  }

  at(number: number): Revision | null {
    return this.#first(({ index }) => index.at(index.size() - number))
  }

  /** The numbers of the revisions of each archive, the newest archive first. */
  parts(): readonly { readonly first: number; readonly last: number }[] {
    return this.#archives
      .map(({ index }) => ({ first: index.archived + 1, last: index.size() }))
      .toSorted((one, other) => other.first - one.first)
  }

  /**
   * The bytes of a revision's document; null for a revision that no archive has.
   *
   * @throws {DamageError} when the archive does not have them as recorded.
   */
  async read({ commit, digest }: Revision): Promise<Uint8Array<ArrayBuffer> | null> {
    const archive = await this.#firstOf(async (each) => {
      const { index, dropped } = each
      return (index.findCommit(commit) ?? (await dropped.findCommit(commit))) && each
    })
    if (archive === null) return null
    const document = await archive.reader.findFile(commit, this.#fileName)
    if (document !== null && digestOf(document) === digest) return document
    throw new DamageError(`The archive does not have the configuration of commit ${commit}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { reader } of this.#archives) await reader[Symbol.asyncDispose]()
  }

  #first<Found>(look: (archive: ServedArchive) => Found | null): Found | null {
    for (const archive of this.#archives) {
      const found = look(archive)
      if (found !== null) return found
    }
    return null
  }

  async #firstOf<Found>(
    look: (archive: ServedArchive) => Promise<Found | null>,
  ): Promise<Found | null> {
    for (const archive of this.#archives) {
      const found = await look(archive)
      if (found !== null) return found
    }
    return null
  }
}

interface Opening {
  readonly part: ArchivedPart
  readonly older: readonly ArchivedPart[]
  readonly options: ServedArchivesOptions
}

async function openArchive(
  file: string,
  { part, older, options }: Opening,
): Promise<ServedArchive> {
  const { folder } = options.archives
  const gitDir = join(folder, part.sha256)
  const programPath = options.programPath ?? undefined
  if (!(await isThere(gitDir))) {
    const draft = join(folder, `${basename(gitDir)}.draft`)
    await removeFolder(draft)
    await nodeFs.mkdir(folder, { recursive: true, mode: 0o700 })
    await unbundleArchive(draft, { file, last: part.last, lower: boundaryOf(older), programPath })
    await nodeFs.rename(draft, gitDir)
    await syncFolder(nodeFs, folder)
  }
  const store = { fs: nodeFs, gitDir }
  const reader = await openObjectReader({ ...store, path: options.programPath })
  const context = { ...options, reader, archived: archivedOf(older) }
  const stored = new IndexFile({ fs: nodeFs, path: join(gitDir, 'cairn', 'revisions') }, context)
  const keeper = new IndexKeeper(stored, context)
  await keeper.load()
  await keeper.moveTo(part.last)
  await keeper.keep()
  const isOnBranch = (commit: CommitSha) => keeper.index.placeOf(commit) !== null
  const dropped = new DroppedRevisions({ ...options, reader, store, isOnBranch })
  return { index: keeper.index, reader, dropped }
}
