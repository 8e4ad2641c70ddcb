import { setTimeout as wait } from 'node:timers/promises'
import type { DocumentChange } from '../../document/entities/change.ts'
import { foldEntity } from '../../document/entities/entities.ts'
import { isCosmetic } from '../../document/changes/is-cosmetic.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Revision } from '../../core/revision.ts'
import { ChangeIndexer, type ChangeIndexerDeps } from './change-indexer.ts'
import { changesOf, type RevisionChanges } from './revision-changes.ts'

export interface EntityIndexDeps extends ChangeIndexerDeps {
  /** How long a question waits for what is not known yet, in milliseconds. */
  readonly patience?: number
}

/** A revision that changed an entity, with the name that the entity had then. */
export interface EntityRevision {
  readonly revision: Revision
  /** In the spelling that `foldEntity` gives. */
  readonly entity: string
}

interface Entry extends EntityRevision {
  readonly number: number
  readonly told: RevisionChanges
}

const PATIENCE = 10_000
/** In the changes of revisions that are about whole pipelines or groups. */
const WHOLE = ['"subject":"pipeline', '"subject":"group']

/** What each revision changed, and which revisions changed an entity. All of it is derived. */
export class EntityIndex implements AsyncDisposable {
  readonly #deps: EntityIndexDeps
  readonly #teller: ChangeIndexer
  readonly #texts = new WeakMap<RevisionChanges, string>()
  readonly #noise = new WeakMap<RevisionChanges, boolean>()

  constructor(deps: EntityIndexDeps) {
    this.#deps = deps
    this.#teller = new ChangeIndexer(deps)
  }

  /** Begins to find out what is not known yet; without it, the first question does. */
  begin(): void {
    this.#teller.begin()
  }

  /** What a revision changed about the one before it; null while that is not known. */
  find(revision: Revision): readonly DocumentChange[] | null {
    const told = this.#teller.indexed.find(revision.commit)
    return told && this.#teller.isIndexed(revision) ? changesOf(told) : null
  }

  /** What is said about what a revision changed; nothing while that is not known. */
  sentencesOf(revision: Revision): readonly string[] {
    const changes = this.find(revision) ?? []
    return changes.map((change) => `${change.label} ${renderChange(change)}`)
  }

  /** The same to look for words in: in lower case, and kept. */
  textOf(revision: Revision): string {
    const told = this.#teller.indexed.find(revision.commit)
    if (told === null || !this.#teller.isIndexed(revision)) return ''
    const known = this.#texts.get(told) ?? this.sentencesOf(revision).join('\n').toLowerCase()
    this.#texts.set(told, known)
    return known
  }

  /** Whether a revision changed layout or the version of the schema alone; false while that is not known. */
  isNoise(revision: Revision): boolean {
    const told = this.#teller.indexed.find(revision.commit)
    if (told === null || !this.#teller.isIndexed(revision)) return false
    const known = this.#noise.get(told) ?? (mayBeNoise(told) && isCosmetic(changesOf(told)))
    this.#noise.set(told, known)
    return known
  }

  /** Whether a revision may have brought, taken away, renamed or moved a pipeline or a group; most are known not to. */
  mayMove(revision: Revision): boolean {
    const told = this.#teller.indexed.find(revision.commit)
    if (told === null || !this.#teller.isIndexed(revision)) return true
    return WHOLE.some((word) => told.changes.includes(word))
  }

  /** How many revisions it is known of what they changed, and how many there are. */
  progress(): { readonly told: number; readonly of: number } {
    return { told: this.#teller.indexed.size, of: this.#deps.history.size() }
  }

  /**
   * The revisions that changed an entity, newest first, under its former names too. Its cost does
   * not grow with revisions that did not.
   *
   * @throws {ServiceError} `unavailable` when it takes too long to find out.
   */
  async revisionsOf(entity: string): Promise<readonly EntityRevision[]> {
    await this.#caughtUp()
    const found: EntityRevision[] = []
    let name: string | null = foldEntity(entity)
    let below = Number.POSITIVE_INFINITY
    while (name !== null) {
      const entries = this.#entriesOf(name, below)
      const renaming = entries.find(({ told }) => formerOf(told, name) !== null)
      const since = renaming?.number ?? 0
      found.push(...entries.filter(({ number }) => number >= since))
      name = renaming ? formerOf(renaming.told, name) : null
      below = since
    }
    return found.map((entry) => ({ revision: entry.revision, entity: entry.entity }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#teller[Symbol.asyncDispose]()
  }

  async #caughtUp(): Promise<void> {
    const { patience = PATIENCE } = this.#deps
    const stop = new AbortController()
    const isDone = this.#teller.settle().then(() => true)
    const isLate = wait(patience, false, { signal: stop.signal, ref: false })
    try {
      if (await Promise.race([isDone, isLate])) return
    } finally {
      stop.abort()
    }
    const { told, of } = this.progress()
    const reason = `${told} of ${of} revisions are known`
    const message = `What revisions have changed is still being found out: ${reason}`
    throw new ServiceError('unavailable', message, { reason })
  }

  #entriesOf(entity: string, below: number): Entry[] {
    const { history } = this.#deps
    const entries = this.#teller.indexed.about(entity).flatMap((told): Entry[] => {
      const revision = history.findCommit(told.commit)
      const number = revision && history.numberOf(revision)
      if (revision === null || number === null || number >= below) return []
      if (!this.#teller.isIndexed(revision)) return []
      return [{ revision, told, number, entity }]
    })
    return entries.toSorted((one, other) => other.number - one.number)
  }
}

/** Most are told apart without reading all of their changes. */
function mayBeNoise({ changes }: RevisionChanges): boolean {
  return changes.includes('"layout"') || changes.includes('"schemaVersion"')
}

function formerOf({ renames }: RevisionChanges, entity: string | null): string | null {
  return renames.find(([name]) => name === entity)?.[1] ?? null
}
