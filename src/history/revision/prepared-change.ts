import type { Problem } from '../../core/problem.ts'

/** A valid document, with what a commit says about it. */
export interface PreparedDocument {
  /** The bytes to keep: those that were prepared, or a copy with its secrets sealed. */
  readonly document: Uint8Array<ArrayBuffer>
  readonly schemaVersion: number
  /** What it changes, in words: the subject of its commit. */
  readonly subject: string
}

/** A document that is ready to be committed: nothing is computed any more when it is written. */
export interface PreparedChange extends PreparedDocument {
  readonly author: string
}

export type Preparation =
  | ({ readonly ok: true } & PreparedDocument)
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Judges a document that is to follow another one; null when it begins the history. */
export type Prepare = (
  document: Uint8Array<ArrayBuffer>,
  before: Uint8Array<ArrayBuffer> | null,
) => Promise<Preparation>
