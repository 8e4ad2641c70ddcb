import { LRUCache } from 'lru-cache'
import { digestOf } from '../../core/digest.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import {
  type ComparisonDeps,
  type DocumentComparison,
  type DocumentPair,
  PLAIN,
} from '../code/comparison.ts'
import type { ChangeSummary } from '../../document/changes/change-summary.ts'
import { findNamedEntity } from '../../document/entities/entities.ts'
import type { Proposal, ProposalVersion } from '../../proposals/proposal.ts'
import type { ProposalsDomain } from '../../proposals/proposals-domain.ts'
import type { ProposalDetail } from '../../proposals/read-proposals.ts'

/** The most comparisons of large documents that are kept. */
const RETAINED_COMPARISONS = 8

/** The last comparisons of large documents, by their digests: a proposal is looked at again and again. */
export class KeptComparisons {
  readonly #kept = new LRUCache<string, DocumentComparison>({ max: RETAINED_COMPARISONS })

  /** Compares two documents, with the changes in words where they are known. */
  async compare(
    deps: Pick<ComparisonDeps, 'compareTextFirst'>,
    documents: DocumentPair,
    changes: readonly DocumentChange[] | null,
  ): Promise<DocumentComparison> {
    const key = documents.map(digestOf).join(' ')
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const known = changes && JSON.stringify(changes)
    const { isLarge, describe, ...text } = await deps.compareTextFirst(documents, {
      ...PLAIN,
      known,
    })
    const comparison = { ...text, changes: await describe() }
    if (isLarge) this.#kept.set(key, comparison)
    return comparison
  }
}

/** The texts of the entities that a proposal touches, for readers who may not see what is around them. */
export async function entityTextsOf(
  { summary }: { readonly summary: ChangeSummary },
  { proposal, documents }: ProposalDetail,
): Promise<ProposalDetail['documents']> {
  const names = proposal.newest.touches.map(({ entity }) => entity)
  return {
    before: await textsIn(summary, documents.before, names),
    after: await textsIn(summary, documents.after, names),
  }
}

/** The same of an older version and the newest one: what its authors have changed in between. */
export async function textsSince(
  { store, summary }: Pick<ProposalsDomain, 'store' | 'summary'>,
  { newest }: Proposal,
  version: ProposalVersion,
): Promise<ProposalDetail['documents']> {
  const names = [...version.touches, ...newest.touches].map(({ entity }) => entity)
  const touched = [...new Set(names)]
  return {
    before: await textsIn(summary, await store.readDocument(version.commit), touched),
    after: await textsIn(summary, await store.readDocument(newest.commit), touched),
  }
}

async function textsIn(
  summary: ChangeSummary,
  bytes: Uint8Array<ArrayBuffer>,
  names: readonly string[],
): Promise<Uint8Array<ArrayBuffer>> {
  const document = await summary.read(bytes)
  if (!('root' in document)) return new Uint8Array()
  const { root, text } = document
  const texts = names.flatMap((name) => {
    const span = findNamedEntity(root, name)?.element.span
    return span === undefined ? [] : [`${text.slice(span.start, span.end)}\n`]
  })
  return new Uint8Array(Buffer.from(texts.join('')))
}
