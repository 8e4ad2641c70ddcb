import { isSameName } from '../core/name-key.ts'
import { type Digest, digestOf } from '../core/digest.ts'
import type { Principal } from '../core/principal.ts'
import type { Objection, Verdict } from '../configuration/gate/rules/verdict.ts'
import { currentDocument } from '../configuration/current/current-document.ts'
import { plannedVerdict } from '../configuration/gate/refusal.ts'
import { candidatesFor } from '../configuration/gate/rules/judge-change.ts'
import { planFor, type ShownPlan } from '../builds/plan/plan-view.ts'
import { renderChange } from '../document/changes/render-change.ts'
import type { DescribedChanges } from '../configuration/changes/config-changes.ts'
import type { MergeConflict } from '../document/merge/merge-conflict.ts'
import { assessMerge, effectsOf, hasSeen } from './assess.ts'
import { baseOf, mergedUpon, type ProposedResult, readVersion } from './proposed-result.ts'
import type { Proposal, ProposalState } from './proposal.ts'
import type { EventOf } from './proposal-event.ts'
import type { ProposalsDomain } from './proposals-domain.ts'
import { findVisible } from './propose.ts'
import { settleMerge } from './settle-merge.ts'
import { mayViewProposal, rightsNow } from './visibility.ts'

export interface ProposalQuery {
  /** Null for every state. */
  readonly state: ProposalState | null
  /** Only those that the caller could approve and has not. */
  readonly isWaitingForCaller: boolean
}

/** The proposals that a caller may view, the newest first. */
export async function listProposals(
  deps: ProposalsDomain,
  principal: Principal,
  { state, isWaitingForCaller }: ProposalQuery,
): Promise<readonly Proposal[]> {
  const rights = rightsNow(deps, principal)
  const visible: Proposal[] = []
  for (const each of await deps.store.list()) {
    if (!mayViewProposal(deps, rights, each)) continue
    const proposal = each.merging === null ? each : await settleMerge(deps, each)
    if (state !== null && proposal.state !== state) continue
    if (isWaitingForCaller && !(await isWaitingFor(deps, principal, proposal))) continue
    visible.push(proposal)
  }
  return visible
}

/** Counts the proposals that are neither merged nor closed. */
export async function countOpen({ store }: Pick<ProposalsDomain, 'store'>): Promise<number> {
  return (await store.list()).filter(({ state }) => state === 'open').length
}

/** A review, and whether it holds for what merging would change now. */
export interface ShownReview {
  readonly event: EventOf<'approve' | 'reject'>
  readonly holds: boolean
}

/** A proposal with all that is known of it now. */
export interface ProposalDetail {
  readonly proposal: Proposal
  /** The digest of the configuration that the newest version was made from. */
  readonly base: Digest
  /** The document that merging it would make, or made; null where it cannot be merged. */
  readonly result: Digest | null
  readonly changes: DescribedChanges['changes']
  /** Its effects as the reader may know of them; null unless it is open and can be merged. */
  readonly plan: ShownPlan | null
  readonly verdict: Verdict | null
  /** The digest that an approval would hold for; null where there is nothing to approve. */
  readonly approval: string | null
  readonly reviews: readonly ShownReview[]
  readonly conflicts: readonly MergeConflict[]
  /** Why it is not valid any more, as sentences. */
  readonly problems: readonly string[]
  /** The documents whose difference it is. */
  readonly documents: {
    readonly before: Uint8Array<ArrayBuffer>
    readonly after: Uint8Array<ArrayBuffer>
  }
}

/** @throws {ServiceError} `proposal-not-found`. */
export async function readProposal(
  deps: ProposalsDomain,
  principal: Principal,
  number: number,
): Promise<ProposalDetail> {
  const proposal = await findVisible(deps, principal, number)
  return proposal.state === 'open' ? readOpen(deps, principal, proposal) : readEnded(deps, proposal)
}

async function readEnded(deps: ProposalsDomain, proposal: Proposal): Promise<ProposalDetail> {
  const { base, before, after } = await readVersion(deps, proposal.newest)
  return {
    ...nothingMore(proposal, base.digest, { before, after }),
    result: proposal.merged?.digest ?? null,
    changes: await changesOf(deps, before, after),
    reviews: proposal.reviews.map((event) => ({ event, holds: proposal.state === 'merged' })),
  }
}

async function readOpen(
  deps: ProposalsDomain,
  principal: Principal,
  proposal: Proposal,
): Promise<ProposalDetail> {
  const current = await currentDocument(deps)
  const result = await mergedUpon(deps, proposal.newest, current)
  if (result.kind !== 'clean') return readUnmerged(deps, proposal, result)
  const plan = await deps.plan(result.document, principal)
  const effects = effectsOf(plan)
  const asked = { proposal, before: current, after: result.document, effects }
  const { verdict, digest, rules } = await assessMerge(deps, principal, asked)
  const { document } = result
  const { digest: base } = await baseOf(deps, proposal.newest)
  const judged = { ...plan, verdict: plannedVerdict(verdict) }
  return {
    ...nothingMore(proposal, base, { before: current, after: document }),
    result: digestOf(document),
    changes: await changesOf(deps, current, document),
    plan: await planFor(deps, principal, { plan: judged, document }),
    verdict,
    approval: digest,
    reviews: proposal.reviews.map((event) => ({
      event,
      holds: event.digest === digest && event.rules === rules && hasSeen(event.effects, effects),
    })),
  }
}

async function readUnmerged(
  deps: ProposalsDomain,
  proposal: Proposal,
  result: Exclude<ProposedResult, { kind: 'clean' }>,
): Promise<ProposalDetail> {
  const { base, before, after } = await readVersion(deps, proposal.newest)
  const changes = await changesOf(deps, before, after)
  const unmerged = { ...nothingMore(proposal, base.digest, { before, after }), changes }
  return result.kind === 'conflicts'
    ? { ...unmerged, conflicts: result.conflicts }
    : { ...unmerged, problems: result.problems.map(({ message }) => message) }
}

function nothingMore(
  proposal: Proposal,
  base: Digest,
  documents: ProposalDetail['documents'],
): ProposalDetail {
  return {
    proposal,
    base,
    result: null,
    changes: [],
    plan: null,
    verdict: null,
    approval: null,
    reviews: proposal.reviews.map((event) => ({ event, holds: false })),
    conflicts: [],
    problems: [],
    documents,
  }
}

async function changesOf(
  { summary }: ProposalsDomain,
  before: Uint8Array<ArrayBuffer>,
  after: Uint8Array<ArrayBuffer>,
): Promise<DescribedChanges['changes']> {
  const changes = await summary.changes(before, after)
  return changes.map((change) => ({ ...change, text: renderChange(change) }))
}

/**
 * Whether an approval by somebody is needed, possible, and not given. What is the same for all is found out
 * once for all who are asked about.
 */
export async function readAwaited(
  deps: ProposalsDomain,
  number: number,
): Promise<(principal: Principal) => Promise<boolean>> {
  const found = await deps.store.find(number)
  const proposal = found && (await settleMerge(deps, found))
  const isAwaited = proposal && (await awaitedOf(deps, proposal))
  return async (principal) =>
    proposal !== null &&
    isAwaited !== null &&
    mayViewProposal(deps, rightsNow(deps, principal), proposal) &&
    isAwaited(principal)
}

/** Whether an approval by the caller is needed, possible, and not given. */
async function isWaitingFor(
  deps: ProposalsDomain,
  principal: Principal,
  proposal: Proposal,
): Promise<boolean> {
  if (isReviewedBy(principal, proposal)) return false
  return (await awaitedOf(deps, proposal))?.(principal) ?? false
}

function isReviewedBy({ username }: Principal, { reviews }: Proposal): boolean {
  return reviews.some(({ by }) => isSameName(by.username, username))
}

/** Null for a proposal that waits for nobody. */
async function awaitedOf(
  deps: ProposalsDomain,
  proposal: Proposal,
): Promise<((principal: Principal) => Promise<boolean>) | null> {
  if (proposal.state !== 'open') return null
  const { gate, cache } = deps
  const before = await currentDocument(deps)
  const result = await mergedUpon(deps, proposal.newest, before)
  if (result.kind !== 'clean') return null
  const asked = { proposal, before, after: result.document, effects: null }
  const { verdict } = await assessMerge(deps, proposal.author, asked)
  const people = gate.peopleIn(await cache.read(before))
  const candidates = verdict.objections.flatMap(({ approvals }) =>
    approvals === undefined ? [] : candidatesFor(approvals, people),
  )
  const isDelegated = verdict.objections.some(isDelegation)
  return async (principal) => {
    if (isReviewedBy(principal, proposal)) return false
    if (candidates.some((name) => isSameName(name, principal.username))) return true
    if (!isDelegated) return false
    const own = await assessMerge(deps, principal, asked)
    return !own.verdict.objections.some(isDelegation)
  }
}

/** The author may not save it alone, and others may. */
function isDelegation({ rule, approvals }: Objection): boolean {
  return rule === 'delegation' && approvals === undefined
}
