import type { MergeSides } from './things.ts'

/** The state of a place of a conflict that the result takes: that of one side, or what both have added. */
export type Choice = 'ours' | 'theirs' | 'both'

/** A choice, or `base` for the state before both edits. */
export type Decision = Choice | 'base'

/** The state of a place of a conflict in one of the documents. */
export interface ConflictVersion {
  /** Empty where the document has nothing there. */
  readonly text: string
  /** The line of its place, counted from 1. */
  readonly line: number
}

/** A smallest part of a document that two edits have changed, each in its own way. */
export interface MergeConflict extends MergeSides<ConflictVersion> {
  /** Its place, such as `pipeline "build" › stage "test"`. */
  readonly path: string
  /** The entity that it is in, such as `pipeline/build`; null for none. */
  readonly entity: string | null
  /** Whether both sides have added something, so that the result can have both. */
  readonly canBeBoth: boolean
}

/** Decides the conflicts of a merge. A place has the same name whatever is decided elsewhere. */
export class ConflictDecisions {
  readonly conflicts: MergeConflict[] = []
  readonly names: string[] = []
  readonly #decisions: ReadonlyMap<string, Decision>
  readonly #counts = new Map<string, number>()

  constructor(decisions: ReadonlyMap<string, Decision> = new Map()) {
    this.#decisions = decisions
  }

  /** Records a conflict. One without a decision is left as they have it. */
  decide(aspect: string, conflict: MergeConflict): Decision {
    const place = `${conflict.path}\n${aspect}`
    const count = this.#counts.get(place) ?? 0
    this.#counts.set(place, count + 1)
    const name = `${place}\n${count}`
    this.conflicts.push(conflict)
    this.names.push(name)
    return this.#decisions.get(name) ?? 'theirs'
  }
}
