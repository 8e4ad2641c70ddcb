import { currentDocument } from '../configuration/current/current-document.ts'
import { isDeepStrictEqual } from 'node:util'
import type { ReviewedProposal } from '../core/change-origin.ts'
import { reasonOf, ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { gateRefusal } from '../configuration/gate/refusal.ts'
import type { SavedChange } from '../configuration/save/save-group.ts'
import { notValid } from '../history/revision/problems.ts'
import type { Trailer } from '../history/revision/message.ts'
import { assessMerge, effectsOf, reviewedProposal } from './assess.ts'
import { assertOpen, assertTokenMaySave, outdated, personOf } from './people.ts'
import { mergedUpon } from './proposed-result.ts'
import type { Proposal } from './proposal.ts'
import type { SeenEffects } from './proposal-event.ts'
import type { ProposalsDomain } from './proposals-domain.ts'
import { findVisible, missing } from './propose.ts'
import { findMerged, PROPOSAL_TRAILER, settleMerge } from './settle-merge.ts'

export const APPROVED_TRAILER = 'Approved-by'

export interface ProposalMerge {
  /** The reason of an override, or more words for the commit; may be empty. */
  readonly message: string
}

export interface MergedProposal {
  readonly proposal: Proposal
  readonly saved: SavedChange
}

/**
 * Merges a proposal: an ordinary save in the name of its author, merged with what has changed since,
 * validated, and put to the gate with its reviews in the writer's queue.
 *
 * @throws {ServiceError} `proposal-not-found`, `proposal-not-open`, `proposal-outdated` where it touches what has
 * changed since or does more than what was approved, `config-invalid`, `not-permitted` with what is missing.
 */
export async function mergeProposal(
  deps: ProposalsDomain,
  principal: Principal,
  number: number,
  request: ProposalMerge,
): Promise<MergedProposal> {
  await findVisible(deps, principal, number)
  assertTokenMaySave(principal)
  return deps.queues.run(number, async () => {
    const found = (await deps.store.find(number)) ?? missing(number)
    const proposal = await settleMerge(deps, found)
    assertOpen(proposal)
    const reviewed = await assertMayMerge(deps, principal, {
      ...proposal,
      message: reasonOfMerge(proposal, request),
    })
    const { commit: from } = deps.history.current()
    const merging = await deps.store.add(number, () => {
      return { type: 'merging', by: personOf(principal), from }
    })
    if (merging === null) return missing(number)
    return commit(deps, principal, { proposal: merging, reviewed, request })
  })
}

/** Asks before anything is written. It is asked again in the writer's queue, and that decides. */
async function assertMayMerge(
  deps: ProposalsDomain,
  principal: Principal,
  proposal: Proposal,
): Promise<ReviewedProposal> {
  const before = await currentDocument(deps)
  const after = await resultUpon(deps, proposal, before)
  const effects = effectsOf(await deps.plan(after, principal))
  const asked = { proposal, before, after, effects }
  const { verdict } = await assessMerge(deps, principal, asked)
  if (verdict.kind !== 'allowed') throw gateRefusal(verdict)
  return reviewedProposal(deps, proposal, effects)
}

function reasonOfMerge({ message }: Proposal, request: ProposalMerge): string {
  return [message, request.message].filter((each) => each !== '').join('\n\n')
}

interface ReadyMerge {
  readonly proposal: Proposal
  readonly reviewed: ReviewedProposal
  readonly request: ProposalMerge
}

async function commit(
  deps: ProposalsDomain,
  principal: Principal,
  ready: ReadyMerge,
): Promise<MergedProposal> {
  const { proposal, reviewed, request } = ready
  const { number, title } = proposal
  const by = personOf(principal)
  const compute = ({ document }: { readonly document: Uint8Array<ArrayBuffer> }) =>
    computeMerge(deps, principal, { ...ready, current: document })
  const origin = { door: 'proposal', principal, proposal: reviewed } as const
  const message = reasonOfMerge(proposal, request)
  const options = { subject: title, message, trailers: trailersFor(reviewed) }
  try {
    const saved = await deps.writer.change(origin, compute, options)
    const { commit: revision, digest } = saved.revision
    const merged = await deps.store.add(number, ({ state }) =>
      state === 'open' ? { type: 'merged', by, commit: revision, digest } : null,
    )
    return { proposal: merged ?? proposal, saved }
  } catch (error) {
    // Whether a commit was made is not known while the service cannot write.
    if (!(error instanceof ServiceError) || error.code === 'unavailable') throw error
    // The commit of an earlier merge may have come to light meanwhile.
    await settleMerge(deps, proposal)
    await deps.store.add(number, ({ state }) =>
      state === 'open' ? { type: 'held', by, text: reasonOf(error) } : null,
    )
    throw error
  }
}

/** The document to commit, upon the one that is current in the writer's queue. */
async function computeMerge(
  deps: ProposalsDomain,
  principal: Principal,
  { proposal, reviewed, current }: ReadyMerge & { readonly current: Uint8Array<ArrayBuffer> },
): Promise<Uint8Array<ArrayBuffer>> {
  if ((await deps.store.find(proposal.number)) !== proposal) throw movedOn(proposal)
  if ((await findMerged(deps.history, proposal)) !== null) throw movedOn(proposal)
  const document = await resultUpon(deps, proposal, current)
  const effects: SeenEffects = effectsOf(await deps.plan(document, principal))
  const reviewedNow = await reviewedProposal(deps, proposal, effects)
  if (!isDeepStrictEqual(reviewedNow, reviewed)) throw movedOn(proposal)
  return document
}

async function resultUpon(
  deps: ProposalsDomain,
  proposal: Proposal,
  current: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const result = await mergedUpon(deps, proposal.newest, current)
  if (result.kind === 'conflicts') throw outdated(proposal)
  if (result.kind === 'invalid') throw notValid(result.problems)
  return result.document
}

function trailersFor({ number, reviews }: ReviewedProposal): readonly Trailer[] {
  const approvals = reviews.filter(({ decision }) => decision === 'approve')
  return [
    [PROPOSAL_TRAILER, `${number}`],
    ...approvals.map(({ by, digest }): Trailer => [APPROVED_TRAILER, `${by} ${digest}`]),
  ]
}

/** The error for a proposal that is no longer what the merge was asked for. */
function movedOn({ number }: Proposal): ServiceError {
  const message = `The proposal ${number} has changed meanwhile: look at it again`
  return new ServiceError('proposal-outdated', message, { number })
}
