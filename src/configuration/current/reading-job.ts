import {
  type ConfigDocument,
  type ReadConfiguration,
  readDocument,
} from '../../document/document.ts'
import type { Problem } from '../../core/problem.ts'

/** A document to be read as a whole. */
export interface ReadingJob {
  readonly document: Uint8Array<ArrayBuffer>
}

/**
 * The result of a reading, without the tree, which costs more to transfer than to build.
 * Transferring a model costs at most a tenth of the reading.
 */
export type ReadingAnswer =
  | { readonly ok: true; readonly read: ReadConfiguration }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export function runReadingJob({ document }: ReadingJob): ReadingAnswer {
  const reading = readDocument(document)
  return reading.ok ? { ok: true, read: withoutTree(reading.document) } : reading
}

function withoutTree({
  schemaVersion,
  configuration,
  hasPlainSecrets,
}: ConfigDocument): ReadConfiguration {
  return { schemaVersion, configuration, hasPlainSecrets }
}
