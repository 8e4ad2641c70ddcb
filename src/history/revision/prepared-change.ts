import type { ChangeOrigin, Door } from '../../core/change-origin.ts'
import type { Problem } from '../../core/problem.ts'

/** A valid document, with the facts for its commit. */
export interface PreparedDocument {
  /** The bytes to write: the prepared ones, or a copy with its secrets sealed. */
  readonly document: Uint8Array<ArrayBuffer>
  readonly schemaVersion: number
  /** The subject of its commit: a summary of the changes. */
  readonly subject: string
  /** The entities that it changes; absent where that takes too long to find out. */
  readonly entities?: readonly string[]
}

/** A document that is ready to be committed, with nothing left to compute. */
export interface PreparedChange extends PreparedDocument {
  readonly author: string
  readonly door: Door
  /** The reason in the words of the author; may be empty. */
  readonly message: string
}

export type Preparation =
  | ({ readonly ok: true } & PreparedDocument)
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Validates a document as the successor of another one; null when it begins the history. */
export type Examine = (
  document: Uint8Array<ArrayBuffer>,
  before: Uint8Array<ArrayBuffer> | null,
) => Promise<Preparation>

/**
 * The same for a document that is to be committed: asserts that the gate lets the change pass.
 *
 * @throws {ServiceError} `not-permitted` when it does not.
 */
export type Prepare = (
  document: Uint8Array<ArrayBuffer>,
  before: Uint8Array<ArrayBuffer> | null,
  origin: ChangeOrigin,
) => Promise<Preparation>

/** The document of a commit of a push, and the one that it came upon. */
export interface PushedChange {
  readonly before: Uint8Array<ArrayBuffer>
  readonly after: Uint8Array<ArrayBuffer>
}

/** The commits of a push upon the document that is current. */
export interface PushToJudge {
  readonly before: Uint8Array<ArrayBuffer>
  /** Reads the commits, the oldest first. */
  readonly listChanges: () => AsyncIterable<PushedChange>
}

/**
 * Asserts that the gate lets every commit of a push pass.
 *
 * @throws {ServiceError} `not-permitted` when it does not.
 */
export type JudgePush = (push: PushToJudge, origin: ChangeOrigin) => Promise<void>
