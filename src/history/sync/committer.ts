import { basename } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { type ChangeFacts, MAX_ENTITIES } from '../../core/change-origin.ts'
import { digestOf } from '../../core/digest.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { allOf } from '../../lib/all-of.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import { lastOf, mapNonEmpty, type NonEmptyArray } from '../../lib/non-empty-array.ts'
import { PendingResources } from '../../lib/resources.ts'
import type { GitRepository, MovedCommit } from '../repository/git-repository.ts'
import type { IndexKeeper } from '../index/index-keeper.ts'
import { ABSENT, type LiveDraft, type LiveFile, type LiveFileState } from './live-file.ts'
import {
  authorName,
  bodyOf,
  type MessageParts,
  oneLine,
  renderMessage,
  subjectOf,
  type Trailer,
} from '../revision/message.ts'
import type { BranchState } from './branch-follower.ts'
import type { Publish } from '../log/log-packs.ts'
import type { PreparedChange } from '../revision/prepared-change.ts'
import type { Report } from '../revision/problems.ts'
import { blobNameInSteps, type NamedObject, named } from '../../git/objects/raw-object.ts'

/** Changes to commit, each based on the one before. */
export interface CommitRequest {
  readonly branch: string
  /** The newest commit of the branch; null begins the history. */
  readonly parent: CommitSha | null
  readonly changes: NonEmptyArray<PreparedChange>
}

/** Changes of which the last one's document is to become the current one. */
export interface NewRevisions extends CommitRequest {
  /** The live file as it was read; it must not have changed since. */
  readonly live: LiveFileState
  /** Whether the live file holds an edit that is not valid. */
  readonly hasInvalidEdit: boolean
}

/** The facts of a change that its revision does not have. */
export function changeFactsOf({ door, entities = [] }: PreparedChange): ChangeFacts {
  return { door, entities: entities.slice(0, MAX_ENTITIES) }
}

export interface Committed {
  readonly revision: Revision
  /** The new name of an invalid live file that was moved away; null when there was none. */
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

/** A change of a file beside the document, which stays as it is in the base. */
export interface BesideCommit extends Pick<PreparedChange, 'author' | 'subject' | 'message'> {
  readonly base: Pick<BranchState, 'head' | 'document' | 'current'>
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly trailers?: readonly Trailer[]
}

/** The parts of a change that its message is made of. */
type DescribedCommit = Pick<
  PreparedChange,
  'document' | 'schemaVersion' | 'author' | 'subject' | 'message' | 'trailers'
>

/** A commit whose objects are ready to be written. */
interface DraftCommit {
  readonly revision: Revision
  readonly message: string
  /** The name of the document's blob. */
  readonly blob: string
  readonly objects: readonly NamedObject[]
}

const DAY_MS = 86_400_000
/** The time after which an invalid live file is deleted. */
const KEEP_INVALID_MS = 30 * DAY_MS

/** Commits changes as revisions: objects first, then the branch, then the live file. */
export class Committer {
  readonly #options: CommitterOptions
  #nextTidy = 0

  constructor(options: CommitterOptions) {
    this.#options = options
  }

  /**
   * Commits changes and returns their revisions once everything is on disk, or null when the branch
   * or the live file has changed meanwhile; then nothing is changed. The next live file, the
   * objects and the new ref are written in parallel; each takes effect only when it is renamed into
   * place. The branch and the live file go to the last change at once, so a crash leaves all of
   * the changes or none.
   */
  async commit(draft: NewRevisions): Promise<NonEmptyArray<Committed> | null> {
    const { repository, keeper, live, publish } = this.#options
    const { branch, parent, changes } = draft
    const { document } = lastOf(changes)
    await using resources = new PendingResources()
    const preparing = resources.take(this.#prepareLiveFile(draft, document))
    const commits = await this.#prepareCommits(draft)
    const { blob: oid, revision: newest } = lastOf(commits)
    // Before the branch is locked, as that takes long for a large document.
    const compressed = await repository.compress(commits.flatMap(({ objects }) => objects))
    const [, move, file] = await allOf([
      repository.write(newest.commit, compressed),
      resources.take(
        repository.openMove({ branch, parent, commits: mapNonEmpty(commits, moveOf) }),
      ),
      preparing,
    ])
    if (move === null || (await live.stamp()) !== draft.live.stamp) return null
    const saved = commits.map(({ revision }) => revision)
    const facts = changes.map(changeFactsOf)
    if (!(await publish({ from: parent, to: newest.commit, saved, facts }))) return null
    await move.finish()
    await repository.confirm(newest.commit)
    const setAside = await this.#placeLiveFile(draft, { document, file })
    const findClean = () => live.findPlaced(document)
    await allOf([live.syncName(), repository.stage({ commit: newest.commit, oid, findClean })])
    await keeper.append(saved)
    const [first, ...others] = mapNonEmpty(commits, ({ revision }) => ({
      revision,
      setAside: null,
    }))
    return [{ ...first, setAside }, ...others]
  }

  /** Writes a commit that no branch and no live file has. */
  async writeOnly(draft: CommitRequest): Promise<CommitSha> {
    const commits = await this.#prepareCommits(draft)
    const { repository } = this.#options
    const { commit } = lastOf(commits).revision
    const objects = commits.flatMap((each) => each.objects)
    await repository.write(commit, await repository.compress(objects))
    return commit
  }

  /** Writes a commit of a file beside the document that no branch has, and returns its revision. */
  async writeBeside({ base, name, bytes, ...words }: BesideCommit): Promise<Revision> {
    const { repository } = this.#options
    const { head: parent, document, current } = base
    const { schemaVersion } = current
    const facts = this.#describe({ document, schemaVersion, ...words })
    const message = renderMessage(facts)
    const blob = named({ type: 'blob', content: bytes }, repository.reader.format)
    const { time, username } = facts
    const { commit, objects } = await repository.prepare({
      parent,
      path: repository.pathBeside(name),
      blob: blob.oid,
      author: authorName(username),
      time,
      message,
    })
    await repository.write(commit, await repository.compress([blob, ...objects]))
    const { trailers: _, ...recorded } = facts
    return { ...recorded, subject: subjectOf(message), message: bodyOf(message), commit }
  }

  /** Renames the live file out of the way, logs it, and returns its new name. */
  async moveAway(): Promise<string> {
    const { live, clock, report } = this.#options
    const path = await live.moveAway(clock())
    report({
      level: 'warning',
      message: `The edit of the live file was not taken over and is kept as ${path}`,
    })
    return basename(path)
  }

  /** Removes live files that were moved away long ago. Runs once a day. */
  async tidy(): Promise<void> {
    const { live, clock } = this.#options
    const now = clock()
    if (now < this.#nextTidy) return
    this.#nextTidy = now + DAY_MS
    await live.removeMovedAway(now - KEEP_INVALID_MS)
  }

  async #prepareCommits({ parent, changes }: CommitRequest): Promise<NonEmptyArray<DraftCommit>> {
    const [first, ...others] = changes
    const commits: [DraftCommit, ...DraftCommit[]] = [await this.#prepareCommit(first, parent)]
    for (const change of others) {
      commits.push(await this.#prepareCommit(change, lastOf(commits).revision.commit))
    }
    return commits
  }

  async #prepareCommit(change: PreparedChange, parent: CommitSha | null): Promise<DraftCommit> {
    const { repository } = this.#options
    const content = change.document
    const oid = await runCooperatively(blobNameInSteps(content, repository.reader.format))
    const blob: NamedObject = { type: 'blob', content, oid }
    const facts = this.#describe(change)
    const message = renderMessage(facts)
    const { username, time } = facts
    const author = authorName(username)
    const draft = { parent, blob: blob.oid, author, time, message }
    const { commit, objects } = await repository.prepare(draft)
    const words = { subject: subjectOf(message), message: bodyOf(message) }
    const { trailers: _, ...recorded } = facts
    const revision = { ...recorded, ...words, commit }
    return { revision, message, blob: blob.oid, objects: [blob, ...objects] }
  }

  #describe(change: DescribedCommit): MessageParts {
    const { document, schemaVersion, author, subject, message, trailers = [] } = change
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
      trailers,
    }
  }

  async #prepareLiveFile(
    { live: seen }: NewRevisions,
    document: Uint8Array<ArrayBuffer>,
  ): Promise<LiveDraft | null> {
    if (seen.kind === 'file' && Buffer.compare(seen.bytes, document) === 0) return null
    return this.#options.live.prepare(document, seen)
  }

  /** An edit that arrived after the check is left alone: it becomes the next revision. */
  async #placeLiveFile(
    { live: seen, hasInvalidEdit }: NewRevisions,
    { document, file }: { document: Uint8Array<ArrayBuffer>; file: LiveDraft | null },
  ): Promise<string | null> {
    const { live } = this.#options
    if (file === null) live.markInSync(document)
    if (file === null || (await live.stamp()) !== seen.stamp) return null
    const setAside = hasInvalidEdit ? await this.moveAway() : null
    await live.place(file, hasInvalidEdit ? ABSENT : seen.stamp)
    return setAside
  }
}

function moveOf({ revision: { commit, time }, message }: DraftCommit): MovedCommit {
  return { commit, time, message }
}
