import type { Door } from '../../../core/change-origin.ts'
import type { TouchKind, CredentialKind, PlanFacts } from './question.ts'
import type { EntitySelector, PathPattern, PersonSelector } from './selectors.ts'
import type { RuleWindow } from './windows.ts'

/** The rules of a repository at one commit. */
export interface RuleSet {
  /** Different for different files: approvals hold for one version. Empty where there is no file. */
  readonly version: string
  readonly rules: readonly GateRule[]
}

export const NO_RULES: RuleSet = { version: '', rules: [] }

/** One rule, with its names in folded spelling where spellings do not differ. */
export interface GateRule {
  readonly name: string
  readonly effect: 'need' | 'warn' | 'deny'
  readonly match: Match
  /** Changed places that do not count. */
  readonly ignored: readonly IgnoredPlace[]
  readonly needs: readonly RuleNeed[]
  /** The people of a proposal whose approvals do not count. */
  readonly not: readonly ('author' | 'contributor')[]
  /** Callers to whom the rule does not apply. */
  readonly except: readonly PersonSelector[]
  readonly override: {
    readonly by: readonly PersonSelector[]
    readonly isReasonNeeded: boolean
  } | null
  /** The times at which the rule applies; always where there are none. */
  readonly windows: readonly RuleWindow[]
  readonly message: string | null
}

/** The subject of a rule. Null for a key that is not given. All given ones must fit. */
export interface Match {
  readonly entities: readonly EntitySelector[] | null
  readonly paths: readonly PathPattern[] | null
  readonly kinds: readonly TouchKind[] | null
  readonly users: readonly string[] | null
  readonly roles: readonly string[] | null
  readonly doors: readonly Door[] | null
  readonly credentials: readonly CredentialKind[] | null
  readonly plan: readonly PlanBound[] | null
}

export type IgnoredPlace = 'comment' | 'layout' | PathPattern

export type RuleNeed =
  | {
      readonly kind: 'approvals'
      readonly count: number
      readonly of: PersonSelector
      /** The entities and paths for which it is needed; null for all that the rule is about. */
      readonly when: Pick<Match, 'entities' | 'paths' | 'kinds'> | null
    }
  | { readonly kind: 'reason' }

export interface PlanBound {
  readonly fact: keyof PlanFacts
  readonly comparison: '>' | '>=' | '<' | '<=' | '='
  readonly bound: number
}
