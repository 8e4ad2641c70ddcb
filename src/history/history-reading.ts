import type { Digest } from '../core/digest.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { HistoryOptions } from './history-options.ts'
import type { RevisionColumns } from './index/revision-columns.ts'
import type { NumberSpan, RevisionRange, RevisionIndex } from './index/revision-index.ts'
import type { HistoryParts } from './open-history.ts'
import { RevisionDocuments, type UnreadableRevision } from './revision-documents.ts'
import type { Trailer } from './revision/message.ts'
import type { FileBeside } from './revision/prepared-change.ts'
import { findOtherFile } from './sync/pushed-changes.ts'
import { allCommits } from '../git/objects/commit-walk.ts'
import type { CommitRange, ObjectReader } from '../git/objects/object-reader.ts'
import type { Archived } from './record/archive-record.ts'

/** A document in the forms in which it leaves the history. */
export interface DocumentForms {
  /** As readers may see it. */
  readonly shown: Uint8Array<ArrayBuffer>
  /** As it is written in git, with a stand-in for each secret in plain text. */
  readonly written: Uint8Array<ArrayBuffer>
}

/** The revisions of a history and their documents. Reads never wait for writers. */
export class HistoryReading {
  readonly #options: HistoryOptions
  readonly #parts: HistoryParts
  protected readonly documents: RevisionDocuments
  #current: Revision

  protected constructor(options: HistoryOptions, parts: HistoryParts, current: Revision) {
    this.#options = options
    this.#parts = parts
    this.documents = new RevisionDocuments(parts.repository, options.report)
    this.#current = current
  }

  /** The newest valid revision. */
  current(): Revision {
    this.#current = this.#parts.keeper.index.current() ?? this.#current
    return this.#current
  }

  /** The number of all revisions, including archived ones. */
  size(): number {
    return this.#parts.keeper.index.size()
  }

  /** The number of archived revisions, which come before those of the repository. */
  get archived(): number {
    return this.#parts.keeper.index.archived
  }

  /** The number of revisions in the repository, which can be listed. */
  kept(): number {
    return this.#parts.keeper.index.kept()
  }

  /** The newest revision with that digest, also of an archive that is at hand. */
  find(digest: Digest): Revision | null {
    const { keeper, archives } = this.#parts
    return keeper.index.find(digest) ?? archives?.find(digest) ?? null
  }

  /** The same, including revisions that the branch had once, as before a `git reset`. */
  async findEver(digest: Digest): Promise<Revision | null> {
    const { dropped, archives } = this.#parts
    const here = this.find(digest) ?? (await dropped.find(digest))
    return here ?? archives?.findDropped(digest) ?? null
  }

  findCommit(commit: CommitSha): Revision | null {
    const { keeper, archives } = this.#parts
    return keeper.index.findCommit(commit) ?? archives?.findCommit(commit) ?? null
  }

  /** The same, including revisions that the branch had once, which have no number. */
  async findCommitEver(commit: CommitSha): Promise<Revision | null> {
    const { dropped, archives } = this.#parts
    const here = this.findCommit(commit) ?? (await dropped.findCommit(commit))
    return here ?? archives?.findDroppedCommit(commit) ?? null
  }

  /** The number of a revision in the history, counted from 1 for the oldest that there has been. */
  numberOf({ commit }: Pick<Revision, 'commit'>): number | null {
    const { keeper, archives } = this.#parts
    return keeper.index.numberOf(commit) ?? archives?.numberOf(commit) ?? null
  }

  /** The trailers of a revision beside the facts of every one, such as `Proposal: 7`. */
  readTrailers({ commit }: Pick<Revision, 'commit'>): Promise<readonly Trailer[]> {
    return this.#parts.repository.readTrailers(commit)
  }

  /** The same of all revisions that have any and are not in the history of a commit; null stands for none. */
  async listTrailers(until: CommitSha | null): Promise<ReadonlyMap<CommitSha, readonly Trailer[]>> {
    return this.#parts.repository.listTrailers({ from: this.current().commit, until })
  }

  /** Whether the list below a revision is exactly its own history: then it stays so. */
  isClosed({ commit }: Pick<Revision, 'commit'>): boolean {
    return this.#parts.keeper.index.isClosed(commit)
  }

  /** The revision with a number, also of an archive that is at hand; null when there is none. */
  at(number: number): Revision | null {
    const { keeper, archives } = this.#parts
    const offset = keeper.index.size() - number
    if (offset < 0 || number < 1) return null
    return keeper.index.at(offset) ?? archives?.at(number) ?? null
  }

  /** The revision of the repository with this number of older ones there, or null. */
  atPlace(place: number): Revision | null {
    return this.at(this.archived + place + 1)
  }

  /** The numbers of the revisions that can be read, in parts that begin alone each; the newest part first. */
  parts(): readonly NumberSpan[] {
    const { index } = this.#parts.keeper
    const own = { first: index.archived + 1, last: index.size() }
    return [own, ...(this.#parts.archives?.parts() ?? [])]
  }

  /** A part of the list of revisions, newest first, without archived ones. */
  list(range: RevisionRange): readonly Revision[] {
    return this.#parts.keeper.index.list(range)
  }

  /** The authors and times of these revisions, by which they are counted and selected. */
  get columns(): RevisionColumns {
    return this.#parts.keeper.index.columns
  }

  /**
   * The bases of a revision: of each parent, the first one first, the nearest revision along first parents. Mostly
   * one; none for the first revision and for an unknown one, and several for a merge.
   */
  basesOf({ commit }: Pick<Revision, 'commit'>): readonly CommitSha[] {
    const { keeper, archives } = this.#parts
    return keeper.index.basesOf(commit) ?? archives?.basesOf(commit) ?? []
  }

  /** The base of a revision, along first parents; null for the first one. */
  previousOf(revision: Pick<Revision, 'commit'>): Revision | null {
    const [base] = this.basesOf(revision)
    return base === undefined ? null : this.findCommit(base)
  }

  /** The revisions that are not in the history of a commit, oldest first; null for a commit that is not there. */
  listNewer(commit: CommitSha): Promise<readonly Revision[] | null> {
    const { keeper, repository, archived } = this.#parts
    return listNewer({ index: keeper.index, reader: repository.reader, archived }, commit)
  }

  /** The commit that the branch was last seen at, which need not be a revision; null before the first. */
  tip(): CommitSha | null {
    return this.#parts.keeper.index.tip()
  }

  /** The branch that is served, such as `refs/heads/main`; null while none is checked out. */
  async readBranch(): Promise<string | null> {
    return (await this.#parts.repository.readHead()).branch
  }

  /**
   * The document of a revision for readers: its exact bytes, or a copy with sealed secrets when a
   * foreign commit has them in plain text.
   *
   * @throws {ServiceError} `unavailable` when the repository no longer has it as recorded.
   */
  async readDocument(revision: Revision): Promise<Uint8Array<ArrayBuffer>> {
    const { digest } = revision
    const stored = { digest, document: await this.readStored(revision) }
    return (await this.#options.sealForReaders?.(stored)) ?? stored.document
  }

  /**
   * The document of a revision as written in git, to compare and to show: its exact bytes, with a
   * placeholder for each secret that a foreign commit has in plain text.
   *
   * @throws {ServiceError} `unavailable` when the repository no longer has it as recorded.
   */
  async readAsWritten(revision: Revision): Promise<Uint8Array<ArrayBuffer>> {
    const { digest } = revision
    const stored = { digest, document: await this.readStored(revision) }
    return (await this.#options.markPlainSecrets?.(stored)) ?? stored.document
  }

  /**
   * Both forms of {@link readDocument} and {@link readAsWritten}, read once.
   *
   * @throws {ServiceError} `unavailable` when the repository no longer has it as recorded.
   */
  async readForms(revision: Revision): Promise<DocumentForms> {
    const { digest } = revision
    const stored = { digest, document: await this.readStored(revision) }
    const { sealForReaders, markPlainSecrets } = this.#options
    return {
      shown: (await sealForReaders?.(stored)) ?? stored.document,
      written: (await markPlainSecrets?.(stored)) ?? stored.document,
    }
  }

  /**
   * The exact bytes of a revision, which may hold secrets in plain text. They must not leave the
   * service without a check for those.
   *
   * @throws {DamageError} when the repository no longer has them as recorded.
   */
  async readStored(revision: Revision): Promise<Uint8Array<ArrayBuffer>> {
    const { keeper, archives } = this.#parts
    const isHere = keeper.index.findCommit(revision.commit) !== null
    const archived = isHere ? null : await archives?.read(revision)
    return archived ?? this.documents.read(revision)
  }

  /**
   * Asserts that the current revision can be read, at a cost that does not grow with its size.
   *
   * @throws {DamageError} when the repository no longer has it.
   */
  assertReadable(): Promise<void> {
    return this.documents.assertReadable(this.current())
  }

  /** The revisions that could not be read at the last attempt. */
  unreadable(): readonly UnreadableRevision[] {
    return this.documents.unreadable()
  }

  /** A file in the folder of the document, at a commit; null when there is none. */
  findBeside(commit: CommitSha, name: string): Promise<FileBeside | null> {
    return this.#parts.repository.findBeside(commit, name)
  }

  /**
   * The document of a pushed commit, with the newest revision that it builds upon and the message of
   * the oldest commit that the branch lacks; null where the branch has it, or it builds upon none.
   */
  async readPushed(commit: CommitSha): Promise<PushedDocument | null> {
    const { repository, keeper } = this.#parts
    const document = await repository.findForeignDocument(commit)
    const range = { from: commit, until: this.tip() }
    const pushed = await pushedCommits(repository.reader, range, keeper.index)
    if (document === null || pushed === null) return null
    const pair = { before: pushed.base.commit, after: commit }
    const otherFile = await findOtherFile(repository.reader, pair, this.#options.fileName)
    return { document, otherFile, ...pushed }
  }
}

/** A document that was pushed beside the branch. */
export interface PushedDocument {
  readonly document: Uint8Array<ArrayBuffer>
  /** Another file that differs from that revision; null for none. */
  readonly otherFile: string | null
  /** The revision that it builds upon. */
  readonly base: Revision
  /** The message of the oldest commit of the push. */
  readonly message: string
}

/** The newest revision below new commits, and the message of the oldest; null where none is new, or below none. */
async function pushedCommits(
  reader: ObjectReader,
  range: CommitRange,
  index: Pick<RevisionIndex, 'findCommit' | 'numberOf'>,
): Promise<Omit<PushedDocument, 'document' | 'otherFile'> | null> {
  const commits = await allCommits(reader, range)
  const own = new Set(commits.map(({ sha }) => sha))
  const [base] = commits
    .flatMap(({ parents }) => parents)
    .filter((parent) => !own.has(parent))
    .flatMap((parent) => index.findCommit(parent) ?? [])
    .toSorted(
      (one, other) => (index.numberOf(other.commit) ?? 0) - (index.numberOf(one.commit) ?? 0),
    )
  const oldest = commits.at(-1)
  return base && oldest ? { base, message: oldest.message } : null
}

/**
 * Lists the revisions that are not in the history of a commit, oldest first; null when the
 * repository lacks the commit.
 *
 * In a linear history these are the newer ones. With merges, and for a commit outside of the
 * history, git has to walk the graph.
 */
async function listNewer(
  {
    index,
    reader,
    archived,
  }: { index: RevisionIndex; reader: ObjectReader; archived: Archived | null },
  commit: CommitSha,
): Promise<readonly Revision[] | null> {
  if (commit === archived?.last) return index.list({ offset: 0, limit: index.kept() }).toReversed()
  const number = index.numberOf(commit)
  if (number !== null && index.isClosed(commit)) {
    return index.list({ offset: 0, limit: index.size() - number }).toReversed()
  }
  const tip = index.tip()
  if (tip === null || (await reader.findCommit(commit)) === null) return null
  const newer: Revision[] = []
  for await (const commits of reader.listCommits({ from: tip, until: commit })) {
    for (const { sha } of commits) {
      const revision = index.findCommit(sha)
      if (revision !== null) newer.push(revision)
    }
  }
  return newer.toReversed()
}
