/** The answer of the gate to a change. */
export type Verdict =
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
  /** The reason, as a sentence. */
  readonly sentence: string
}

export const ALLOWED: Verdict = { kind: 'allowed' }
