import { type OutlineEntry, outlineOf } from '../../config/outline.ts'
import { readXml } from '../../config/xml-reader.ts'
import { editScript } from '../../diff/edit-script.ts'
import {
  compareDocuments,
  type DocumentComparison,
  type DocumentOptions,
  type ScriptDeps,
} from './compare/comparison.ts'

/** The places of a document that people look for; null when it is no XML that can be read. */
export type Outline = readonly OutlineEntry[] | null

/** What a page needs that takes long where documents are large. The bytes are the job's own. */
export type PageJob =
  | {
      readonly kind: 'comparison'
      readonly before: Uint8Array<ArrayBuffer>
      readonly after: Uint8Array<ArrayBuffer>
      readonly options: DocumentOptions
    }
  | { readonly kind: 'outline'; readonly document: Uint8Array<ArrayBuffer> }

export type PageAnswer =
  | { readonly kind: 'comparison'; readonly comparison: DocumentComparison }
  | { readonly kind: 'outline'; readonly outline: Outline }

const AT_ONCE: ScriptDeps = {
  script: async (before, after, options) => editScript(before, after, options),
}

export async function answerPageJob(job: PageJob): Promise<PageAnswer> {
  if (job.kind === 'outline') return { kind: 'outline', outline: outlineOfDocument(job.document) }
  const { before, after, options } = job
  return {
    kind: 'comparison',
    comparison: await compareDocuments(AT_ONCE, [before, after], options),
  }
}

export function outlineOfDocument(document: Uint8Array): Outline {
  const xml = readXml(document)
  return xml.ok ? outlineOf(xml) : null
}
