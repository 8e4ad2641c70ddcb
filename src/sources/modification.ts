/** One change of a repository, as its version control reports it. */
export interface SourceModification {
  readonly revision: string
  readonly username: string
  /** Milliseconds since the UNIX epoch. */
  readonly time: number
  readonly comment: string
  /** Paths from the root of the repository. */
  readonly files: readonly string[]
}

/** The revisions after one, up to and including another; after null only the latter. */
export interface RevisionSpan {
  readonly after: string | null
  readonly upTo: string
}

/** Longer spans are not listed change by change. */
export const MAX_CHANGES = 1_000

/** A repository as far as polling needs it. Every failure is a `SourceFailed`. */
export interface MaterialSource {
  /** The newest revision of the material. */
  newest(): Promise<string>
  /** Newest first; null when they cannot be listed one by one. */
  changes(span: RevisionSpan): Promise<readonly SourceModification[] | null>
  /**
   * Resolves a revision as people write it to its full form; null when the repository does not have
   * it.
   */
  find(revision: string): Promise<string | null>
}

/** The number of a revision, for version controls that count; null for anything else. */
export function revisionNumber(text: string): string | null {
  const number = Number(text)
  return /^\d{1,15}$/.test(text) && number > 0 ? String(number) : null
}

/** The reason why a repository could not be read, without secrets. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed'
  /** The reason without the address of the repository, for callers who are not administrators. */
  readonly unaddressed: string

  constructor(message: string, options: ErrorOptions & { readonly unaddressed?: string } = {}) {
    super(message, options)
    this.unaddressed = options.unaddressed ?? message
  }
}
