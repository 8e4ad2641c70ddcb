import type { PersonSelector } from './selectors.ts'

/** The answer of one rule to a change. */
export type Ruling =
  | { readonly kind: 'allowed' }
  /** The change is left to others, who may make it. */
  | ({ readonly kind: 'needs'; readonly of: readonly string[] } & Reasoned)
  /** The change is refused to every caller as it is. */
  | ({ readonly kind: 'denied' } & Reasoned)

interface Reasoned {
  /** The name of the rule that decided. */
  readonly rule: string
  /** The entity that the rule is about, such as `pipeline/shop`. */
  readonly place: string
  /** The reason, as a sentence; ends with the words of the rule's author. */
  readonly sentence: string
}

/** A missing decision that is the author's own, unlike all others. */
export const A_REASON = 'a reason'

export const ALLOWED: Ruling = { kind: 'allowed' }

/** A rule that a change does not meet. */
export interface Objection extends Reasoned {
  readonly kind: 'needs' | 'denied'
  /** The missing decisions, in words: `role/security`, `admins of the group payments`, `a reason`. */
  readonly of: readonly string[]
  /** The words of the rule's author to those whom it stops. */
  readonly reason?: string
  /** The moment from which the rule does not apply, in milliseconds since the UNIX epoch. */
  readonly until?: number
  /** The approvals that it takes; absent where approvals do not help. */
  readonly approvals?: NeededApprovals
  /** The people that may pass it by an override; absent where nobody may. */
  readonly overridableBy?: readonly PersonSelector[]
}

/** The approvals that a rule asks for, with those that count. */
export interface NeededApprovals {
  readonly count: number
  readonly of: PersonSelector
  /** The groups and templates whose administrators are meant, where `of` says so. */
  readonly within: readonly string[]
  /** The names of those whose approvals count now. */
  readonly given: readonly string[]
  /** The names of those who could approve and have rejected the change. */
  readonly rejectedBy: readonly string[]
  /** Names that do not count, such as the author's, in folded spelling. */
  readonly excluded: readonly string[]
}

/** The answer of the gate to a change. */
export interface Verdict {
  readonly kind: 'allowed' | 'needs' | 'denied'
  /** Empty for a change that is allowed. */
  readonly objections: readonly Objection[]
  /** Rules that a change meets whose effect is to warn. */
  readonly warnings: readonly Objection[]
  /** Rules that stood in the way and were passed by an override. */
  readonly overridden: readonly string[]
  /** Rules that stood in the way and were passed in a recovery. */
  readonly recovered: readonly string[]
}
