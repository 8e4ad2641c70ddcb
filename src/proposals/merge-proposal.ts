import { currentDocument } from '../configuration/current/current-document.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Review, ReviewedProposal } from '../core/change-origin.ts'
import { ServiceError, unavailable } from '../core/errors.ts'
import { isSameName } from '../core/name-key.ts'
import type { Principal } from '../core/principal.ts'
import type { Verdict } from '../configuration/gate/rules/verdict.ts'
import { gateRefusal } from '../configuration/gate/refusal.ts'
import type { SavedChange } from '../configuration/save/save-group.ts'
import { notValid } from '../history/revision/problems.ts'
import { APPROVED_TRAILER } from '../configuration/gate/override.ts'
import type { Trailer } from '../history/revision/message.ts'
import { assessMerge, effectsOf, reviewedProposal } from './assess.ts'
import {
  assertNewest,
  assertOpen,
  assertTokenMaySave,
  outdated,
  personOf,
  whyHeld,
} from './people.ts'
import { mergedUpon } from './proposed-result.ts'
import type { Proposal } from './proposal.ts'
import type { ProposalsDomain } from './proposals-domain.ts'
import { findVisible, missing } from './propose.ts'
import { toldProblems } from './visibility.ts'
import { findMerged, PROPOSAL_TRAILER, settleMerge } from './settle-merge.ts'

/** Names who merged the proposal of somebody else, as rules may be about that person. */
const MERGED_TRAILER = 'Merged-by'

export interface ProposalMerge {
  /** The reason of an override, or more words for the commit; may be empty. */
  readonly message: string
  /** The version that is meant; the newest one when null. */
  readonly version: number | null
  /** Whether nobody asks for it: its caller is who wrote that version. False when absent. */
  readonly mergesItself?: boolean
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
    assertNewest(proposal, request.version)
    const before = await currentDocument(deps)
    // It is asked again in the writer's queue, and that decides.
    const ready = await readyMerge(deps, principal, { proposal, request, before })
    if (ready.verdict.kind !== 'allowed') throw gateRefusal(ready.verdict)
    const { commit: from } = deps.history.current()
    const merging = await deps.store.add(principal, number, () => {
      return { type: 'merging', by: personOf(principal), from }
    })
    if (merging === null) return missing(number)
    return commit(deps, principal, { ...ready, proposal: merging })
  })
}

/** A merge that is asked for. */
interface WantedMerge {
  readonly proposal: Proposal
  readonly request: ProposalMerge
}

/** A merge upon a document, as the gate sees it. */
interface ReadyMerge extends WantedMerge {
  readonly document: Uint8Array<ArrayBuffer>
  readonly reviewed: ReviewedProposal
  /** The change and the rules that an approval has to be of. */
  readonly approved: Pick<Review, 'digest' | 'rules'>
  readonly verdict: Verdict
}

async function readyMerge(
  deps: ProposalsDomain,
  principal: Principal,
  { proposal, request, before }: WantedMerge & { readonly before: Uint8Array<ArrayBuffer> },
): Promise<ReadyMerge> {
  const document = await resultUpon(deps, principal, { proposal, before })
  const effects = effectsOf(await deps.plan(document, principal))
  const { mergesItself = false } = request
  const asked = { ...proposal, message: reasonOfMerge(proposal, request) }
  const merge = { proposal: asked, before, after: document, effects, mergesItself }
  const { verdict, digest, rules } = await assessMerge(deps, principal, merge)
  const reviewed = await reviewedProposal(deps, proposal, merge)
  return { proposal, request, document, reviewed, approved: { digest, rules }, verdict }
}

function reasonOfMerge({ message }: Proposal, request: ProposalMerge): string {
  return [message, request.message].filter((each) => each !== '').join('\n\n')
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
    computeMerge(deps, principal, { ready, before: document })
  const origin = { door: 'proposal', principal, proposal: reviewed } as const
  const message = reasonOfMerge(proposal, request)
  const options = { subject: title, message, trailers: trailersFor(ready, principal) }
  try {
    const saved = await deps.writer.change(origin, compute, options)
    const { commit: revision, digest } = saved.revision
    const merged = await afterAct(mergedBy(number, saved), () =>
      deps.store.add(null, number, ({ state }) =>
        state === 'open' ? { type: 'merged', by, commit: revision, digest } : null,
      ),
    )
    return { proposal: merged ?? proposal, saved }
  } catch (error) {
    // Whether a commit was made is not known while the service cannot write.
    if (!(error instanceof ServiceError) || error.code === 'unavailable') throw error
    // The commit of an earlier merge may have come to light meanwhile.
    await settleMerge(deps, proposal)
    await deps.store.add(null, number, ({ state }) =>
      state === 'open' ? { type: 'held', by, text: whyHeld(error) } : null,
    )
    throw error
  }
}

/** The sentence about a merge that is made. */
export function mergedBy(number: number, { revision: { commit: revision } }: SavedChange): string {
  return `The proposal ${number} is merged by commit ${revision}`
}

/**
 * Does what follows an act that nothing takes back.
 *
 * @throws {ServiceError} `unavailable` with the sentence about the act, where it cannot be done now.
 */
export async function afterAct<Result>(done: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error
    throw unavailable(`${done}, which cannot be shown yet: ${error.message}`, error)
  }
}

/** The document to commit, upon the one that is current in the writer's queue. */
async function computeMerge(
  deps: ProposalsDomain,
  principal: Principal,
  { ready, before }: { readonly ready: ReadyMerge; readonly before: Uint8Array<ArrayBuffer> },
): Promise<Uint8Array<ArrayBuffer>> {
  const { proposal, reviewed, approved } = ready
  if ((await deps.store.find(proposal.number)) !== proposal) throw movedOn(proposal)
  if ((await findMerged(deps.history, proposal)) !== null) throw movedOn(proposal)
  const now = await readyMerge(deps, principal, { ...ready, before })
  const isSame = isDeepStrictEqual([now.reviewed, now.approved], [reviewed, approved])
  if (!isSame) throw movedOn(proposal)
  return now.document
}

async function resultUpon(
  deps: ProposalsDomain,
  principal: Principal,
  {
    proposal,
    before,
  }: Pick<WantedMerge, 'proposal'> & { readonly before: Uint8Array<ArrayBuffer> },
): Promise<Uint8Array<ArrayBuffer>> {
  const result = await mergedUpon(deps, proposal.newest, before)
  if (result.kind === 'conflicts') throw outdated(proposal)
  if (result.kind === 'invalid') throw notValid(await toldProblems(deps, principal, result))
  return result.document
}

function trailersFor(
  { reviewed, approved: { digest, rules } }: ReadyMerge,
  { username }: Principal,
): readonly Trailer[] {
  const approvals = reviewed.reviews.filter(
    (review) => review.decision === 'approve' && review.digest === digest && review.rules === rules,
  )
  const isByAuthor = isSameName(username, reviewed.author)
  return [
    [PROPOSAL_TRAILER, `${reviewed.number}`],
    ...(isByAuthor ? [] : [[MERGED_TRAILER, username] as const]),
    ...approvals.map(({ by }): Trailer => [APPROVED_TRAILER, `${by} ${digest}`]),
  ]
}

/** The error for a proposal that is no longer what the merge was asked for. */
function movedOn({ number }: Proposal): ServiceError {
  const message = `The proposal ${number} has changed meanwhile: look at it again`
  return new ServiceError('proposal-outdated', message, { number })
}
