import {
  type ConfigDocument,
  type ReadConfiguration,
  readDocument,
} from '../../document/document.ts'
import type { Problem } from '../../core/problem.ts'

/** A document that is to be read as a whole. */
export interface ReadingJob {
  readonly document: Uint8Array<ArrayBuffer>
}

/**
 * What a reading found, without the tree: that costs more to hand over than to make. A model costs
 * a tenth of what the reading does at most.
 */
export type ReadingAnswer =
  | { readonly ok: true; readonly read: ReadConfiguration }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export function answerTo({ document }: ReadingJob): ReadingAnswer {
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
