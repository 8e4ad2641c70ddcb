import { digestInSteps } from '../core/digest.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import { DamageError, unreadable } from '../git/objects/damage.ts'
import { runCooperatively } from '../lib/cooperative.ts'
import type { GitRepository } from './repository/git-repository.ts'
import type { Report } from './revision/problems.ts'

type Repository = Pick<
  GitRepository,
  'findDocument' | 'hasDocument' | 'describeNoDocument' | 'assertThere'
>

/** A revision whose document is damaged, with the reason and the remedy. */
export interface UnreadableRevision {
  readonly revision: Revision
  readonly reason: string
}

/** The limit of listed revisions: further ones have the same cause. */
const MAX_LISTED = 50
/** The time for which a document that was read counts as readable while it is found. */
const RECHECK_INTERVAL_MS = 60_000

/** Reads the documents of revisions, and lists unreadable ones until they can be read again. */
export class RevisionDocuments {
  readonly #repository: Repository
  readonly #report: Report
  readonly #unreadable = new Map<CommitSha, UnreadableRevision>()
  /** The last commit that {@link assertReadable} has read, and the time by the monotonic clock. */
  #readable: { readonly commit: CommitSha; readonly time: number } | null = null

  constructor(repository: Repository, report: Report) {
    this.#repository = repository
    this.#report = report
  }

  /**
   * The exact bytes of a revision.
   *
   * @throws {DamageError} when the repository no longer has them as recorded.
   */
  async read(revision: Revision): Promise<Uint8Array<ArrayBuffer>> {
    try {
      const document = await this.#readChecked(revision)
      this.#noteRead(revision)
      return document
    } catch (error) {
      if (!(error instanceof DamageError)) throw error
      // Every object is missing when the repository itself was moved away.
      await this.#repository.assertThere()
      throw this.#noteDamage(revision, error)
    }
  }

  /**
   * Asserts that a revision can be read: by reading it once a minute, and otherwise by finding its
   * document in the repository, at a cost that does not depend on its size.
   *
   * @throws {DamageError} when the repository no longer has it.
   */
  async assertReadable(revision: Revision): Promise<void> {
    const { commit } = revision
    const now = performance.now()
    const read = this.#readable
    const isKnown = read?.commit === commit && now - read.time < RECHECK_INTERVAL_MS
    if (isKnown && (await this.#has(commit))) return
    await this.read(revision)
    this.#readable = { commit, time: now }
  }

  /** The revisions that could not be read at the last attempt. */
  unreadable(): readonly UnreadableRevision[] {
    return [...this.#unreadable.values()]
  }

  /** Reads them again: an operator may have repaired them. */
  async readAgain(): Promise<void> {
    for (const { revision } of this.unreadable()) {
      try {
        await this.read(revision)
      } catch (error) {
        if (!(error instanceof DamageError)) throw error
      }
    }
  }

  async #readChecked({ commit, digest }: Revision): Promise<Uint8Array<ArrayBuffer>> {
    const document = await this.#repository.findDocument(commit)
    if (document === null) {
      throw new DamageError(`it is ${await this.#repository.describeNoDocument(commit)}`)
    }
    if ((await runCooperatively(digestInSteps(document))) === digest) return document
    throw new DamageError(`it does not have the digest ${digest}`)
  }

  async #has(commit: CommitSha): Promise<boolean> {
    try {
      return await this.#repository.hasDocument(commit)
    } catch (error) {
      if (error instanceof DamageError) return false
      throw error
    }
  }

  #noteRead({ commit }: Revision): void {
    if (!this.#unreadable.delete(commit)) return
    const message = `The configuration of commit ${commit} can be read again`
    this.#report({ level: 'info', message })
  }

  #noteDamage(revision: Revision, error: DamageError): DamageError {
    const { commit } = revision
    if (this.#readable?.commit === commit) this.#readable = null
    const damage = unreadable(commit, error.message, error)
    if (this.#unreadable.has(commit) || this.#unreadable.size === MAX_LISTED) return damage
    this.#unreadable.set(commit, { revision, reason: damage.message })
    this.#report({ level: 'error', message: damage.message, facts: { error: damage } })
    return damage
  }
}
