import { basename } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { digestOf } from '../../core/digest.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { allOf } from '../../lib/all-of.ts'
import { PendingResources } from '../../lib/resources.ts'
import type { GitRepository } from '../repository/git-repository.ts'
import type { IndexKeeper } from '../index/index-keeper.ts'
import { ABSENT, type LiveDraft, type LiveFile, type LiveFileState } from './live-file.ts'
import { compressObject, compressObjects } from '../../git/objects/loose-objects.ts'
import {
  authorName,
  bodyOf,
  type MessageParts,
  oneLine,
  renderMessage,
  subjectOf,
} from '../revision/message.ts'
import type { Publish } from '../log/log-packs.ts'
import type { PreparedChange } from '../revision/prepared-change.ts'
import type { Report } from '../revision/problems.ts'
import { named } from '../../git/objects/raw-object.ts'

/** A valid document that is to be committed. */
export interface CommitRequest extends PreparedChange {
  readonly branch: string
  /** The newest commit of the branch; null begins the history. */
  readonly parent: CommitSha | null
}

/** A valid document that is to become the current one. */
export interface NewRevision extends CommitRequest {
  /** The live file as it was read; it must not have changed since. */
  readonly live: LiveFileState
  /** Whether the live file holds an edit that is not valid. */
  readonly hasInvalidEdit: boolean
}

export interface Committed {
  readonly revision: Revision
  /** The name under which an invalid live file is kept; null when there was none. */
  readonly setAside: string | null
}

export interface CommitterOptions {
  readonly repository: GitRepository
  readonly keeper: IndexKeeper
  readonly live: LiveFile
  /** Called when everything of a commit is on disk, before its branch moves. */
  readonly publish: Publish
  readonly serverEdition: string
  readonly serverVersion: string
  readonly clock: Clock
  readonly report: Report
}

const DAY = 86_400_000
/** For how long a live file that was not valid is kept. */
const KEEP_INVALID = 30 * DAY

/** Commits documents as revisions: objects first, then the branch, then the live file. */
export class Committer {
  readonly #options: CommitterOptions
  #nextTidy = 0

  constructor(options: CommitterOptions) {
    this.#options = options
  }

  /**
   * Commits a document and returns the revision once everything is on disk, or null when the branch
   * or the live file has changed meanwhile; then nothing is changed. The next live file, the
   * objects and the new ref are written in parallel; each takes effect only when it is renamed into
   * place.
   */
  async commit(draft: NewRevision): Promise<Committed | null> {
    const { repository, keeper, live, publish } = this.#options
    await using resources = new PendingResources()
    const preparing = resources.take(this.#prepareLiveFile(draft))
    const { facts, commit, prepared, loose } = await this.#prepareObjects(draft)
    const [, move, file] = await allOf([
      repository.write(prepared, loose),
      resources.take(repository.openMove(commit, prepared.commit)),
      preparing,
    ])
    if (move === null || (await live.stamp()) !== draft.live.stamp) return null
    if (!(await publish({ from: draft.parent, to: prepared.commit }))) return null
    await move.finish()
    const setAside = await this.#placeLiveFile(draft, file)
    const words = { subject: subjectOf(commit.message), message: bodyOf(commit.message) }
    const revision = { ...facts, ...words, commit: prepared.commit }
    const findClean = () => live.findPlaced(draft.document)
    await allOf([live.syncName(), repository.stage({ oid: commit.blob, findClean })])
    await keeper.append(revision)
    return { revision, setAside }
  }

  /** Writes a commit that no branch and no live file has. */
  async writeOnly(draft: CommitRequest): Promise<CommitSha> {
    const { prepared, loose } = await this.#prepareObjects(draft)
    await this.#options.repository.write(prepared, loose)
    return prepared.commit
  }

  /** Renames the live file out of the way, logs it, and returns its new name. */
  async moveAway(): Promise<string> {
    const { live, clock, report } = this.#options
    const path = await live.moveAway(clock())
    report({ level: 'warning', message: `The live file was not valid and is kept as ${path}` })
    return basename(path)
  }

  /** Removes live files that were moved away long ago. Runs once a day. */
  async tidy(): Promise<void> {
    const { live, clock } = this.#options
    const now = clock()
    if (now < this.#nextTidy) return
    this.#nextTidy = now + DAY
    await live.removeMovedAway(now - KEEP_INVALID)
  }

  async #prepareObjects(draft: CommitRequest) {
    const { repository } = this.#options
    const blob = named({ type: 'blob', content: draft.document }, repository.reader.format)
    const facts = this.#describe(draft)
    const document = await compressObject(blob)
    const message = renderMessage(facts)
    const { username, time } = facts
    const { branch, parent } = draft
    const author = authorName(username)
    const commit = { branch, parent, blob: blob.oid, author, time, message }
    const prepared = await repository.prepare(commit)
    const loose = [document, ...(await compressObjects(prepared.objects))]
    return { facts, commit, prepared, loose }
  }

  #describe({ document, schemaVersion, author, subject, message }: CommitRequest): MessageParts {
    const { serverEdition, serverVersion, clock } = this.#options
    return {
      digest: digestOf(document),
      username: author,
      time: clock(),
      schemaVersion,
      serverEdition: oneLine(serverEdition),
      serverVersion: oneLine(serverVersion),
      subject,
      message,
    }
  }

  async #prepareLiveFile({ live: seen, document }: NewRevision): Promise<LiveDraft | null> {
    if (seen.kind === 'file' && Buffer.compare(seen.bytes, document) === 0) return null
    return this.#options.live.prepare(document, seen)
  }

  /** An edit that arrived after the check is left alone: it becomes the next revision. */
  async #placeLiveFile(
    { live: seen, hasInvalidEdit, document }: NewRevision,
    file: LiveDraft | null,
  ): Promise<string | null> {
    const { live } = this.#options
    if (file === null) live.noteAgreed(document)
    if (file === null || (await live.stamp()) !== seen.stamp) return null
    const setAside = hasInvalidEdit ? await this.moveAway() : null
    await live.place(file, hasInvalidEdit ? ABSENT : seen.stamp)
    return setAside
  }
}
