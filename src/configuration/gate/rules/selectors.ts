/** People as a rule names them. */
export type PersonSelector =
  | { readonly kind: 'role' | 'user'; readonly name: string }
  /** The administrators of the server. */
  | { readonly kind: 'admins' }
  /** The administrators of the groups and templates that the change lies in, and those of the server. */
  | { readonly kind: 'group-admins' }

/** Entities as a rule names them; names are patterns with `*`, in folded spelling. */
export type EntitySelector =
  | { readonly kind: 'named'; readonly pattern: string }
  | { readonly kind: 'pipelines-in-group'; readonly group: string }
  /** An environment, and the pipelines that run in it. */
  | { readonly kind: 'environment'; readonly environment: string }

/** Steps below an entity that follow one another, such as `stage deploy`, `materials`. */
export interface PathPattern {
  readonly steps: readonly string[]
}
