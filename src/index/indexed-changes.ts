import { LINE_ENDINGS } from '../document/changes/line-endings.ts'
import { isCosmetic } from '../document/changes/entities-of.ts'
import type { CommitSha } from '../core/revision.ts'
import { NumberList } from '../lib/compact/number-list.ts'
import { PackedTexts } from '../lib/compact/packed-texts.ts'
import { CommitNumbers } from './commit-numbers.ts'
import { CommitsBefore } from './commits-before.ts'
import {
  changesOfRevision,
  foldedEntitiesOf,
  parseChanges,
  type RevisionChanges,
} from './revision-changes.ts'

/** An entity that some revision changed. */
interface ChangedEntity {
  /** In folded spelling. */
  readonly entity: string
  /** How many revisions changed it. */
  readonly revisions: number
  /** The number of what one of them changed. */
  readonly text: number
}

/** The new and the former names of renamed entities, in folded spelling. */
export type Renames = RevisionChanges['renames']

const NO_RENAMES: Renames = []
const NO_TEXT = -1
/** The changes of layout, of line endings and of the schema version contain one of these. */
const COSMETIC = ['"layout"', `"${LINE_ENDINGS}"`, '"schemaVersion"']

/**
 * The changes of indexed revisions, by commit and by entity. There may be a million, so that each
 * takes few bytes: its commit is a number, and the changes are packed text.
 */
export class IndexedChanges {
  readonly #commits: CommitNumbers
  readonly #before: CommitsBefore
  readonly #texts = new PackedTexts()
  /** By the number of the commit: that of its text. */
  readonly #textOf = new NumberList()
  readonly #renames = new Map<number, Renames>()
  readonly #cosmetic = new Set<number>()
  readonly #byEntity = new Map<string, NumberList>()
  /** How often what is known of a revision was replaced; nothing is taken away otherwise. */
  replaced = 0

  constructor(commits = new CommitNumbers()) {
    this.#commits = commits
    this.#before = new CommitsBefore(commits)
  }

  get size(): number {
    return this.#before.size
  }

  /** Whether the changes of a commit upon that one are known; null for the first. */
  has(commit: CommitSha, previous: CommitSha | null): boolean {
    return this.#before.isAfter(commit, previous)
  }

  /** The number of the stored changes of a commit, which no others get; null for none. */
  find(commit: CommitSha): number | null {
    const number = this.#commits.find(commit)
    const text = (number === null ? undefined : this.#textOf.at(number)) ?? NO_TEXT
    return text === NO_TEXT ? null : text
  }

  /** What has that number, for `parseChanges`. */
  stored(text: number): string {
    return this.#texts.get(text)
  }

  /** Whether a commit changed only layout, line endings or the schema version of that one; null while that is not known. */
  isCosmetic(commit: CommitSha, previous: CommitSha | null): boolean | null {
    if (!this.has(commit, previous)) return null
    return this.#cosmetic.size > 0 && this.#cosmetic.has(this.#commits.numberOf(commit))
  }

  /** Everything that is known, to be stored. */
  *values(): Generator<RevisionChanges> {
    for (const [commit, previous] of this.#before.entries()) yield* this.#read(commit, previous)
  }

  /** Every entity that some revision changed. */
  *entities(): Generator<ChangedEntity> {
    for (const [entity, commits] of this.#byEntity) {
      const one = commits.at(0)
      if (one === undefined) continue
      const text = this.#textOf.at(one) ?? NO_TEXT
      yield { entity, revisions: commits.length, text }
    }
  }

  /** The numbers of the commits that changed an entity, in the order in which they were indexed, without the first ones. */
  about(entity: string, without = 0): readonly number[] {
    return this.#byEntity.get(entity)?.slice(without) ?? []
  }

  commitOf(number: number): CommitSha {
    return this.#commits.nameOf(number)
  }

  /** The numbers of the commits that renamed something. */
  renaming(): Iterable<number> {
    return this.#renames.keys()
  }

  /** What the commit with that number renamed. */
  renamesOf(number: number): Renames {
    return this.#renames.get(number) ?? NO_RENAMES
  }

  /** Adds a revision, or replaces its entry. */
  add({ commit, previous, entities, renames, changes }: RevisionChanges): void {
    this.#forget(commit)
    this.#before.set(commit, previous)
    const number = this.#commits.numberOf(commit)
    this.#textOf.set(number, this.#texts.add(changes), NO_TEXT)
    if (renames.length > 0) this.#renames.set(number, renames)
    if (mayBeCosmetic(changes) && isCosmetic(parseChanges(changes))) this.#cosmetic.add(number)
    for (const entity of entities) this.#noteChanged(entity, number)
  }

  /** What is stored says all of it anew. */
  *#read(commit: CommitSha, previous: CommitSha | null): Generator<RevisionChanges> {
    const text = this.find(commit)
    if (text === null) return
    yield changesOfRevision({ commit, previous }, parseChanges(this.stored(text)))
  }

  #forget(commit: CommitSha): void {
    const number = this.#commits.find(commit)
    const text = this.find(commit)
    if (number === null || text === null) return
    this.replaced += 1
    this.#renames.delete(number)
    this.#cosmetic.delete(number)
    for (const entity of foldedEntitiesOf(parseChanges(this.stored(text)))) {
      const others = this.about(entity).filter((each) => each !== number)
      this.#byEntity.delete(entity)
      for (const other of others) this.#noteChanged(entity, other)
    }
  }

  #noteChanged(entity: string, commit: number): void {
    const commits = this.#byEntity.get(entity) ?? new NumberList()
    commits.push(commit)
    this.#byEntity.set(entity, commits)
  }
}

/** A quick test that avoids parsing the changes of most revisions. */
function mayBeCosmetic(changes: string): boolean {
  return COSMETIC.some((word) => changes.includes(word))
}
