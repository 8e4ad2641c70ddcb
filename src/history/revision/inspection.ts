import type { Problem } from '../../core/problem.ts'

/** The result of validating a document. */
export type Inspection =
  | {
      readonly ok: true
      /** The bytes to keep: those inspected, or a copy with its secrets sealed. */
      readonly document: Uint8Array<ArrayBuffer>
      readonly schemaVersion: number
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export type Inspect = (document: Uint8Array<ArrayBuffer>) => Promise<Inspection>
