import {
  type ConfigDocument,
  type ReadConfiguration,
  readDocument,
} from '../../document/document.ts'
import { markPlainSecrets, sealSecrets } from '../../document/secrets/seal-secrets.ts'
import { SecretBox } from '../../document/secrets/secret-box.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import type { Problem } from '../../core/problem.ts'
import { runSync } from '../../lib/cooperative.ts'

export interface ReadingJob {
  readonly kind: 'read'
  readonly document: Uint8Array<ArrayBuffer>
}

export interface SealingJob {
  readonly kind: 'seal'
  readonly document: Uint8Array<ArrayBuffer>
  readonly keys: readonly Uint8Array[]
  /** Whether the same secret gets the same sealed form each time. */
  readonly isRepeatable: boolean
  /** A valid configuration, or the text as it was written with a stand-in for each secret. */
  readonly form: 'configuration' | 'as-written'
}

/** Work on a whole document. */
export type DocumentJob = ReadingJob | SealingJob

/**
 * The result of a reading, without the tree, which costs more to transfer than to build.
 * Transferring a model costs at most a tenth of the reading.
 */
export type ReadingAnswer =
  | { readonly ok: true; readonly read: ReadConfiguration }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export type SealingAnswer =
  | { readonly ok: true; readonly document: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export function runReadingJob({ document }: ReadingJob): ReadingAnswer {
  const reading = readDocument(document)
  return reading.ok ? { ok: true, read: withoutTree(reading.document) } : reading
}

/** Seals the plain secrets of what can be read as XML. */
export function runSealingJob({ document, keys, isRepeatable, form }: SealingJob): SealingAnswer {
  const reading = runSync(readXml(document))
  if (!reading.ok) return reading
  const box = new SecretBox(keys)
  const seal = (secret: string) => (isRepeatable ? box.sealRepeatably(secret) : box.seal(secret))
  const { text } =
    form === 'configuration' ? sealSecrets(reading, { seal }) : markPlainSecrets(reading, { seal })
  return { ok: true, document: new TextEncoder().encode(text) }
}

function withoutTree({
  schemaVersion,
  configuration,
  hasPlainSecrets,
}: ConfigDocument): ReadConfiguration {
  return { schemaVersion, configuration, hasPlainSecrets }
}
