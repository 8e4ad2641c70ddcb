import { z } from 'zod'
import type { DocumentKind } from '../../core/document-kind.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { CommitSha, type Revision, shownAuthor } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import type { StateStore } from '../../state/state-store.ts'
import type { HealthProblem } from '../../core/service/health-problem.ts'
import { type Access, assertMay } from '../access/permission.ts'
import type { ReadableDocuments } from '../current/readable-documents.ts'

/** A commit that has secrets in plain text. */
const PlainSecretRecord = z.object({
  commit: CommitSha,
  username: z.string(),
  secrets: z.array(
    z.object({
      message: z.string(),
      path: z.string().exactOptional(),
      line: z.int().exactOptional(),
      column: z.int().exactOptional(),
    }),
  ),
  /** The user who confirmed that these secrets were changed; null while nobody has. */
  acknowledgedBy: z.string().nullable(),
})
type PlainSecretRecord = Readonly<z.infer<typeof PlainSecretRecord>>

export const PLAIN_SECRETS: DocumentKind<PlainSecretRecord> = {
  name: 'plain-secrets',
  schema: PlainSecretRecord,
}

/** The secrets that a commit has in plain text, and the user who confirmed that they were changed. */
export type PlainSecrets = Pick<PlainSecretRecord, 'secrets' | 'acknowledgedBy'>

export interface PlainSecretAlarmDeps {
  readonly history: History
  readonly readable: Pick<ReadableDocuments, 'knownSecrets' | 'secretsIn'>
}

export interface PlainSecretDeps {
  readonly access: Access
  readonly secretAlarm: PlainSecretAlarm
}

/** The most commits and secrets that are listed one by one. */
const MAX_NAMED = 20
const WHAT_TO_DO =
  'Anyone with access to the repository can read them. Change them where they are used, then acknowledge them'

/**
 * Remembers the commits with plain secrets, over restarts, until an administrator confirms that
 * these secrets were changed. Git keeps such a commit forever.
 */
export class PlainSecretAlarm {
  readonly #deps: PlainSecretAlarmDeps
  readonly #records = new Map<CommitSha, PlainSecretRecord>()
  #store: StateStore | null = null

  constructor(deps: PlainSecretAlarmDeps) {
    this.#deps = deps
  }

  /** Loads the stored commits, and stores those that were found before. */
  async open(store: StateStore): Promise<void> {
    const found = new Map(this.#records)
    this.#store = store
    for (const { value } of await store.list(PLAIN_SECRETS)) {
      this.#records.set(value.commit, value)
      found.delete(value.commit)
    }
    for (const record of found.values()) await this.#keep(record)
  }

  /** Examines a revision. A finding is on disk when this returns. */
  readonly examine = async (revision: Revision): Promise<void> => {
    const { history, readable } = this.#deps
    const { commit, digest } = revision
    if (this.#records.has(commit)) return
    const cached = readable.knownSecrets(digest)
    const found =
      cached ?? (await readable.secretsIn({ digest, document: await history.readStored(revision) }))
    if (found.length === 0) return
    const username = shownAuthor(revision.username)
    await this.#keep({ commit, username, secrets: [...found], acknowledgedBy: null })
  }

  /** The secrets that a commit has in plain text; null when it has none. */
  find({ commit }: Pick<Revision, 'commit'>): PlainSecrets | null {
    const record = this.#records.get(commit)
    if (!record) return null
    const { secrets, acknowledgedBy } = record
    return { secrets, acknowledgedBy }
  }

  /** One problem for all of them, the newest first, with what to do about it. */
  problems(): readonly HealthProblem[] {
    const open = this.#open()
    const [newest] = open
    if (!newest) return []
    const count = open.length === 1 ? 'A revision has' : `${open.length} revisions have`
    const briefly = `${count} secrets in plain text. ${WHAT_TO_DO}`
    const call = `POST /api/config/revisions/${newest.commit}/acknowledge-secrets`
    const errors = open.flatMap(({ number, username, secrets }) =>
      secrets.map(({ message, ...place }) => ({
        message: `r${number} by ${username}: ${message}`,
        ...place,
      })),
    )
    const subject = `${briefly} with ${call}`
    const revisions = open.map(({ commit, number }) => ({ commit, number })).slice(0, MAX_NAMED)
    return [{ subject, briefly: `${briefly}.`, errors: errors.slice(0, MAX_NAMED), revisions }]
  }

  /**
   * Ends the alarm about a commit and older ones. Returns their number.
   *
   * @throws {ServiceError} `revision-not-found` when the commit has no secrets in plain text.
   */
  async acknowledge(commit: CommitSha, username: string): Promise<number> {
    const { history } = this.#deps
    const revision = this.#records.has(commit) ? history.findCommit(commit) : null
    if (!revision) {
      const message = `The commit ${commit} has no secrets in plain text`
      throw new ServiceError('revision-not-found', message, { commit })
    }
    const last = this.#numberOf(commit)
    const open = this.#open().filter(({ number }) => number <= last)
    for (const { number: _, ...record } of open)
      await this.#keep({ ...record, acknowledgedBy: username })
    return open.length
  }

  async #keep(record: PlainSecretRecord): Promise<void> {
    await this.#store?.change((transaction) =>
      transaction.put(PLAIN_SECRETS, record.commit, record),
    )
    this.#records.set(record.commit, record)
  }

  /** The commits that nobody has acknowledged, newest first. */
  #open(): readonly (PlainSecretRecord & { readonly number: number })[] {
    return [...this.#records.values()]
      .filter(({ acknowledgedBy }) => acknowledgedBy === null)
      .map((record) => ({ ...record, number: this.#numberOf(record.commit) }))
      .filter(({ number }) => number > 0)
      .toSorted((one, other) => other.number - one.number)
  }

  /** 0 for a commit that is no longer in the history. */
  #numberOf(commit: CommitSha): number {
    return this.#deps.history.numberOf({ commit }) ?? 0
  }
}

/**
 * Records that the secrets of a commit, and of older ones, were changed where they are used.
 *
 * @throws {ServiceError} `revision-not-found`, `not-permitted`.
 */
export function acknowledgeSecrets(
  { access, secretAlarm }: PlainSecretDeps,
  principal: Principal,
  commit: CommitSha,
): Promise<number> {
  assertMay(access, principal, { action: 'administer' })
  return secretAlarm.acknowledge(commit, principal.username)
}
