/** The answer of the gate to a change. */
export type Verdict =
  | { readonly kind: 'allowed' }
  /** Somebody else may make the change. */
  | ({ readonly kind: 'needs'; readonly of: readonly string[] } & Reasoned)
  /** Nobody may make the change as it is. */
  | ({ readonly kind: 'denied' } & Reasoned)

interface Reasoned {
  /** The name of the rule that decided. */
  readonly rule: string
  /** The entity that the rule is about, such as `pipeline/shop`. */
  readonly place: string
  /** The reason, as a sentence. */
  readonly sentence: string
}

export const ALLOWED: Verdict = { kind: 'allowed' }
