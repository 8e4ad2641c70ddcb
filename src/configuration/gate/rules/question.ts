import type { Door, ReviewedProposal } from '../../../core/change-origin.ts'
import type { ExternalUser } from '../../../core/principal.ts'
import type { RuleSet } from './rule.ts'
import type { PLAN_FACTS } from './rules-schema.ts'
import type { Ruling } from './verdict.ts'

/** A change as rules see it: the entities that it is about, in the form in which they run. */
export interface GateChange {
  readonly entities: readonly TouchedEntity[]
}

/** An entity that a change adds, changes or removes. */
export interface TouchedEntity {
  /** `pipeline/shop`, by its newer name. */
  readonly entity: string
  /** Its names before and after, in folded spelling: two where it is renamed. */
  readonly names: readonly string[]
  /** A renamed entity is removed under its former name and added under its new one. */
  readonly kinds: readonly TouchKind[]
  /** The groups that it is in, before and after, as they are spelled; of a group itself, that group. */
  readonly groups: readonly string[]
  /** The environments that a pipeline runs in, before and after, in folded spelling. */
  readonly environments: readonly string[]
  /** The changed places inside; one that is {@link ChangedPlace.isWhole} where it is added or removed. */
  readonly places: readonly ChangedPlace[]
  /** The digest of its group and its own bytes, null where it is absent. Equal ones: only the form in which it runs changes. */
  readonly before: string | null
  readonly after: string | null
}

export type TouchKind = 'added' | 'changed' | 'removed'

/** A place inside an entity that differs. */
export interface ChangedPlace {
  /** The way there, outermost first, such as `stage test`, `variable REGION`. */
  readonly steps: readonly string[]
  readonly sort: 'content' | 'comment' | 'layout'
  /** Whether anything below may differ too: an entity or element as a whole. */
  readonly isWhole: boolean
  /** Whether it differs by something else that has changed: it counts where that does. */
  readonly isDerived?: boolean
}

/** A person, by the configuration and the users as they are now. */
export interface Standing {
  readonly username: string
  readonly userId?: string
  readonly roles: readonly string[]
  readonly administersServer: boolean
  /** Whether a group or template such as `group/payments` is administered, the server's administrators included. */
  administers(part: string): boolean
}

/** The people who can log in now. */
export interface People {
  /** Null for a user who was removed or is disabled. One of elsewhere is known by the caller. */
  find(username: string, external?: ExternalUser): Standing | null
  list(): readonly Standing[]
  /** False where a directory may know others, of whom nothing can be said before they log in. */
  readonly isComplete: boolean
}

export type CredentialKind = 'password' | 'session' | 'token'

export interface GateCaller {
  readonly standing: Standing
  readonly credential: CredentialKind
  /** The rules that the caller asks to pass, by name. */
  readonly overrides: readonly string[]
}

/** The effects of a change, by their numbers, as the plan has them. */
export type PlanFacts = Readonly<Record<(typeof PLAN_FACTS)[number], number>>

/** All that the gate's verdict depends on. */
export interface Question {
  readonly change: GateChange
  readonly door: Door
  /** Null at the doors without a caller. */
  readonly caller: GateCaller | null
  /** The reason of the author: text beyond the subject and trailers. */
  readonly reason: string
  /** Null for a change that comes at once. */
  readonly proposal: ReviewedProposal | null
  /** The rules of the base, with their version. */
  readonly rules: RuleSet
  readonly people: People
  /** Null where no rule asks for it, see `asksForPlan`. */
  readonly plan: PlanFacts | null
  /** Milliseconds since the UNIX epoch. */
  readonly now: number
  /** Whether administrators of the server pass rules. */
  readonly isRecovery: boolean
  /** The answer of the built-in rule of delegation, for the caller or an approver. */
  readonly delegation: Ruling
  /** Whether who hears the verdict may hear the name of an entity; absent where all may be named. */
  readonly mayName?: (entity: string) => boolean
}
