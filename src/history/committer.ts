import type { Clock } from '../core/clock.ts'
import { digestOf } from '../core/digest.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { GitRepository } from './git-repository.ts'
import type { IndexKeeper } from './index-keeper.ts'
import { ABSENT, type LiveFile, type LiveFileState } from './live-file.ts'
import { authorName, type MessageParts, oneLine, renderMessage, subjectOf } from './message.ts'
import type { Report } from './problems.ts'

/** A valid document that is to become the current one. */
export interface NewRevision {
  readonly branch: string
  /** The newest commit of the branch; null begins the history. */
  readonly parent: CommitSha | null
  /** The document it replaces, for the words of the commit. */
  readonly before: Uint8Array<ArrayBuffer> | null
  readonly document: Uint8Array<ArrayBuffer>
  readonly schemaVersion: number
  readonly author: string
  /** The subject of the commit; null says in words what changed. */
  readonly subject: string | null
  /** The live file as it was looked at; it must not have changed since. */
  readonly live: LiveFileState
  /** Whether the live file holds something that is in no commit and is not valid. */
  readonly setAside: boolean
}

export interface CommitterOptions {
  readonly repository: GitRepository
  readonly keeper: IndexKeeper
  readonly live: LiveFile
  readonly summarise: (
    before: Uint8Array<ArrayBuffer> | null,
    after: Uint8Array<ArrayBuffer>,
  ) => Promise<string>
  readonly serverEdition: string
  readonly serverVersion: string
  readonly clock: Clock
  readonly report: Report
}

/** Makes documents revisions: objects first, then the branch, then the live file. */
export class Committer {
  readonly #options: CommitterOptions

  constructor(options: CommitterOptions) {
    this.#options = options
  }

  /**
   * Commits a document and returns the revision once everything is on disk, or null when the branch
   * or the live file has changed meanwhile; then nothing is changed.
   */
  async commit(draft: NewRevision): Promise<Revision | null> {
    const { repository, keeper, live } = this.#options
    const facts = await this.#describe(draft)
    const message = renderMessage(facts)
    const commit = { ...draft, author: authorName(facts.username), time: facts.time, message }
    const { commit: sha } = await repository.write(commit)
    if ((await live.stamp()) !== draft.live.stamp) return null
    if (!(await repository.moveBranch(commit, sha))) return null
    await this.#placeLiveFile(draft)
    await repository.stageDocument(draft.document)
    const revision = { ...facts, commit: sha, subject: subjectOf(message) }
    await keeper.append(revision)
    return revision
  }

  /** Gives the live file another name, and says so. */
  async setAside(): Promise<void> {
    const { live, clock, report } = this.#options
    const time = new Date(clock()).toISOString().replaceAll(/[:.]/g, '-')
    const path = await live.setAside(`invalid-${time}`)
    report({ level: 'warning', message: `The live file was not valid and is kept as ${path}` })
  }

  async #describe(draft: NewRevision): Promise<MessageParts> {
    const { summarise, serverEdition, serverVersion, clock } = this.#options
    const { before, document, schemaVersion, author, subject } = draft
    return {
      digest: digestOf(document),
      username: author,
      time: clock(),
      schemaVersion,
      serverEdition: oneLine(serverEdition),
      serverVersion: oneLine(serverVersion),
      subject: subject ?? (await summarise(before, document)),
    }
  }

  /** An edit that came after we looked is left as it is: it becomes the next revision. */
  async #placeLiveFile({ live: seen, document, setAside }: NewRevision): Promise<void> {
    const { live } = this.#options
    if ((await live.stamp()) !== seen.stamp) return
    if (setAside) await this.setAside()
    if (seen.kind === 'file' && Buffer.compare(seen.bytes, document) === 0) return
    await live.replace(document, setAside ? ABSENT : seen.stamp)
  }
}
