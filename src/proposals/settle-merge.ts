import type { Revision } from '../core/revision.ts'
import type { History } from '../history/history.ts'
import type { Proposal } from './proposal.ts'
import type { ProposalStore } from './proposal-store.ts'

/** The trailer by which a revision says that it merged a proposal. */
export const PROPOSAL_TRAILER = 'Proposal'

export interface SettlingDeps {
  readonly history: History
  readonly store: ProposalStore
}

/**
 * Completes a merge that was interrupted after its commit: the branch says whether it happened. Until then
 * nobody knows, and the proposal stays open.
 */
export async function settleMerge(
  { history, store }: SettlingDeps,
  proposal: Proposal,
): Promise<Proposal> {
  const { number, merging, state } = proposal
  if (merging === null || state !== 'open') return proposal
  const revision = await findMerged(history, proposal)
  if (revision === null) return proposal
  const { commit, digest } = revision
  const settled = await store.add(null, number, (newest) =>
    newest.state === 'open' ? { type: 'merged', by: merging.by, commit, digest } : null,
  )
  return settled ?? proposal
}

/** The revision that merged a proposal, among those since its first unknown merge began. */
export async function findMerged(
  history: History,
  { number, merging, author }: Proposal,
): Promise<Revision | null> {
  const newer = merging === null ? [] : ((await history.listNewer(merging.from)) ?? [])
  for (const revision of newer) {
    if (revision.username !== author.username) continue
    const trailers = await history.readTrailers(revision)
    if (trailers.some(([key, value]) => key === PROPOSAL_TRAILER && value === `${number}`)) {
      return revision
    }
  }
  return null
}
