import type { ChangeOrigin } from '../../core/change-origin.ts'
import { unavailable } from '../../core/errors.ts'
import type { History } from '../../history/history.ts'
import type { Trailer } from '../../history/revision/message.ts'
import type { Examine, Preparation } from '../../history/revision/prepared-change.ts'
import { GroupQueue, type Settled } from '../../lib/group-queue.ts'
import { nonEmpty } from '../../lib/non-empty-array.ts'
import type { QueueLoad } from '../../lib/serial-queue.ts'
import { stopping } from '../../storage/writer-queue.ts'
import {
  SaveGroup,
  type SaveGroupDeps,
  type Compute,
  type RequestedChange,
  type SavedChange,
} from './save-group.ts'

/** Options of a change besides its author. */
export interface ChangeOptions {
  /** The subject of the commit; a summary of the changes when absent. */
  readonly subject?: string
  /** The reason in the words of the author; none when absent. */
  readonly message?: string
  /** More facts for the end of the message. */
  readonly trailers?: readonly Trailer[]
}

export interface ConfigurationWriterDeps extends Omit<SaveGroupDeps, 'findBeside'> {
  readonly history: History
  readonly examine: Examine
}

/** How often changes are computed again because git or an editor was faster. */
const ATTEMPTS = 20
/** After so many, git commands have to wait for the changes. */
const FREE_ATTEMPTS = 3

/**
 * Makes changes of the current document: prepares them here, then lets the history commit them.
 * Those that wait are committed as one group. A stale group is computed again, and in the end while
 * git may not move the branch.
 */
export class ConfigurationWriter implements AsyncDisposable {
  readonly #deps: ConfigurationWriterDeps
  readonly #queue: GroupQueue<RequestedChange, SavedChange>

  constructor(deps: ConfigurationWriterDeps) {
    this.#deps = deps
    this.#queue = new GroupQueue((waiting) => this.#save(waiting), stopping)
  }

  /**
   * Commits the result of `compute` as the current document. Changes run one after the other, each on the
   * result of the one before.
   *
   * @throws {ServiceError} `config-invalid`; `not-permitted` when the gate does not let it pass;
   * `unavailable` while the repository cannot be written to; whatever `compute` throws.
   */
  change(
    origin: ChangeOrigin,
    compute: Compute,
    options: ChangeOptions = {},
  ): Promise<SavedChange> {
    const { subject, message = '', trailers } = options
    return this.#queue.run({ origin, compute, subject, message, trailers })
  }

  /** Prepares a document as the next revision without committing it. */
  async preview(document: Uint8Array<ArrayBuffer>): Promise<Preparation> {
    const { history, examine } = this.#deps
    return examine(document, await history.readStored(history.current()))
  }

  /** How many changes wait, and how long changes waited. */
  load(): QueueLoad {
    return this.#queue.load()
  }

  /** Finishes accepted changes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close()
  }

  async #save(waiting: Iterable<RequestedChange>): Promise<readonly Settled<SavedChange>[]> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      await using _ = attempt < FREE_ATTEMPTS ? null : await this.#deps.history.holdBranch()
      const outcomes = await this.#trySave(waiting)
      if (outcomes !== 'stale') return outcomes
    }
    throw unavailable('Others keep changing the live file')
  }

  async #trySave(
    waiting: Iterable<RequestedChange>,
  ): Promise<readonly Settled<SavedChange>[] | 'stale'> {
    const { history } = this.#deps
    const base = await history.base()
    const findBeside: History['findBeside'] = (commit, name) => history.findBeside(commit, name)
    const group = new SaveGroup({ ...this.#deps, findBeside }, base)
    for (const change of waiting) {
      await group.add(change)
      if (group.isFull) break
    }
    const changes = nonEmpty(group.changes)
    const committed = changes === null ? [] : await history.commit(base, changes)
    return committed === 'stale' ? committed : group.outcomes(committed)
  }
}
