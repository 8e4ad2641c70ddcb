/** One change of a repository, as its version control tells it. */
export interface Modification {
  readonly revision: string
  readonly username: string
  /** Milliseconds since the UNIX epoch. */
  readonly time: number
  readonly comment: string
  /** Paths from the root of the repository. */
  readonly files: readonly string[]
}

/** The revisions after one, up to and with another; after null that one alone. */
export interface Span {
  readonly after: string | null
  readonly upTo: string
}

/** More changes at once are not looked at one by one. */
export const MOST_CHANGES = 1_000

/** A repository as far as polling needs it. Every failure is a `SourceFailed`. */
export interface MaterialSource {
  /** The newest revision of what the material is about. */
  newest(): Promise<string>
  /** Newest first; null when they cannot be told one by one. */
  changes(span: Span): Promise<readonly Modification[] | null>
}

/** A repository could not be read, and why, without any secret. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed'
}
