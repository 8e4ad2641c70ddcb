import { isSameName } from '../core/name-key.ts'
import { type Digest, digestOf } from '../core/digest.ts'
import { isSamePerson, type Principal } from '../core/principal.ts'
import type { Assessment } from '../configuration/gate/gate.ts'
import { changeOfSame } from '../configuration/gate/describe-change.ts'
import { needsAdministrator } from '../configuration/gate/delegation.ts'
import type { GateChange, People } from '../configuration/gate/rules/question.ts'
import { NO_RULES, type RuleSet } from '../configuration/gate/rules/rule.ts'
import { ALLOWED, type Objection, type Verdict } from '../configuration/gate/rules/verdict.ts'
import { DOCUMENT } from '../document/entities/entities.ts'
import type { Permissions } from '../security/permissions.ts'
import { currentDocument } from '../configuration/current/current-document.ts'
import { plannedVerdict } from '../configuration/gate/refusal.ts'
import { candidatesFor } from '../configuration/gate/rules/judge-change.ts'
import { planFor, type ShownPlan } from '../builds/plan/plan-view.ts'
import { renderChange } from '../document/changes/render-change.ts'
import type { DescribedChanges } from '../configuration/changes/config-changes.ts'
import type { MergeConflict } from '../document/merge/merge-conflict.ts'
import { assessMerge, assessWritten, effectsOf, hasSeen } from './assess.ts'
import { touchesOf } from './content.ts'
import { APPROVED_TRAILER } from '../configuration/gate/override.ts'
import { trailerValues } from '../history/revision/message.ts'
import {
  baseOf,
  mergedUpon,
  type ProposedResult,
  readVersion,
  writtenChange,
} from './proposed-result.ts'
import type { Proposal, ProposalState } from './proposal.ts'
import type { EventOf } from './proposal-event.ts'
import type { ProposalsDomain } from './proposals-domain.ts'
import { findVisible } from './propose.ts'
import { settleMerge } from './settle-merge.ts'
import { mayViewAll, mayViewProposal, rightsNow, toldProblems } from './visibility.ts'

export interface ProposalQuery {
  /** Null for every state. */
  readonly state: ProposalState | null
  /** Only those that the caller could approve and has not. */
  readonly isWaitingForCaller: boolean
  /** The largest number of proposals, the newest ones; null for all. */
  readonly limit: number | null
}

/** The proposals that a caller may view, the newest first. */
export async function listProposals(
  deps: ProposalsDomain,
  principal: Principal,
  { state, isWaitingForCaller, limit }: ProposalQuery,
): Promise<readonly Proposal[]> {
  const rights = rightsNow(deps, principal)
  // Read once: git is asked for them.
  const rules = isWaitingForCaller ? await deps.gate.rulesOf() : NO_RULES
  const visible: Proposal[] = []
  for (const each of await deps.store.list()) {
    if (visible.length === limit) break
    if (!mayViewProposal(deps, rights, each)) continue
    const proposal = each.merging === null ? each : await settleMerge(deps, each)
    if (state !== null && proposal.state !== state) continue
    if (isWaitingForCaller && !(await isWaitingFor(deps, principal, { proposal, rules }))) continue
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
    reviews: await reviewsOfMerge(deps, proposal),
  }
}

/** The reviews of a proposal that has ended: of the approvals, those hold that its commit names. */
async function reviewsOfMerge(
  { history }: Pick<ProposalsDomain, 'history'>,
  { reviews, merged, newest }: Proposal,
): Promise<readonly ShownReview[]> {
  const revision = merged && (await history.findCommitEver(merged.commit))
  const trailers = revision === null ? [] : await history.readTrailers(revision)
  const approved = new Set(trailerValues(trailers, APPROVED_TRAILER))
  return reviews.map((event) => {
    const { type, by, digest, version } = event
    const isNamed = approved.has(`${by.username} ${digest}`)
    const holds = type === 'approve' ? isNamed : merged !== null && version === newest.version
    return { event, holds }
  })
}

async function readOpen(
  deps: ProposalsDomain,
  principal: Principal,
  proposal: Proposal,
): Promise<ProposalDetail> {
  const current = await currentDocument(deps)
  const result = await mergedUpon(deps, proposal.newest, current)
  if (result.kind !== 'clean') return readUnmerged(deps, principal, { proposal, result })
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
    changes: await visibleChanges(deps, principal, { before: current, after: document }),
    plan: await planFor(deps, principal, { plan: judged, document }),
    verdict,
    approval: digest,
    reviews: proposal.reviews.map((event) => ({
      event,
      holds: event.digest === digest && event.rules === rules && hasSeen(event.effects, effects),
    })),
  }
}

/** A proposal that cannot be merged as it is. */
interface UnmergedProposal {
  readonly proposal: Proposal
  readonly result: Exclude<ProposedResult, { kind: 'clean' }>
}

async function readUnmerged(
  deps: ProposalsDomain,
  principal: Principal,
  { proposal, result }: UnmergedProposal,
): Promise<ProposalDetail> {
  const { base, before, after } = await readVersion(deps, proposal.newest)
  const changes = await changesOf(deps, before, after)
  const unmerged = { ...nothingMore(proposal, base.digest, { before, after }), changes }
  if (result.kind === 'conflicts') return { ...unmerged, conflicts: result.conflicts }
  const problems = await toldProblems(deps, principal, result)
  return { ...unmerged, problems: problems.map(({ message }) => message) }
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

/** The changes that merging makes of what a reader may view: a rename reaches what refers to it by now. */
async function visibleChanges(
  deps: ProposalsDomain,
  principal: Principal,
  { before, after }: ProposalDetail['documents'],
): Promise<DescribedChanges['changes']> {
  const changes = await changesOf(deps, before, after)
  const rights = rightsNow(deps, principal)
  if (rights.isAdministrator) return changes
  const places = await touchesOf(deps, before, after)
  const hidden = new Set(
    places.filter((place) => !mayViewAll(deps, rights, [place])).map(({ entity }) => entity),
  )
  return changes.filter(({ entity }) => !hidden.has(entity))
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

/** A proposal, and the rules that hold. */
interface RuledProposal {
  readonly proposal: Proposal
  readonly rules: RuleSet
}

/** Whether an approval by the caller is needed, possible, and not given. */
async function isWaitingFor(
  deps: ProposalsDomain,
  principal: Principal,
  asked: RuledProposal,
): Promise<boolean> {
  const known = await isAwaitedAsWritten(deps, principal, asked)
  return known ?? (await awaitedOf(deps, asked.proposal))?.(principal) ?? false
}

/**
 * The same without a merge, by what the version changes of the revision that it was made from: of pipelines that
 * others have left as they were, merging it changes the same. Null where a merge has to tell.
 */
async function isAwaitedAsWritten(
  deps: ProposalsDomain,
  principal: Principal,
  { proposal, rules }: RuledProposal,
): Promise<boolean | null> {
  if (proposal.state !== 'open') return false
  const { gate, cache, access } = deps
  const isAboutPlan = rules.rules.some(({ match }) => match.plan !== null)
  if (proposal.reviews.length > 0 || isAboutPlan) return null
  const current = await cache.read(await currentDocument(deps))
  const written = await writtenChange(deps, proposal.newest)
  const change = changeOfSame(written.change, current)
  if (change === null) return null
  const merger = mergerOf(proposal)
  const maySave = (person: Principal) => {
    const rights = access.rightsIn(current.configuration, person)
    if (rights.isAdministrator) return true
    return administersAll(rights, change) && (written.isForAllOwners || null)
  }
  const isOwn = maySave(merger)
  if (isOwn === null) return null
  const verdict = await assessWritten(deps, merger, {
    proposal,
    change,
    document: current,
    rules,
    delegation: isOwn ? ALLOWED : needsAdministrator(DOCUMENT, ''),
  })
  if (isNamedIn(verdict, principal, gate.peopleIn(current))) return true
  return isOwn ? false : maySave(principal)
}

function administersAll(rights: Permissions, { entities }: GateChange): boolean {
  return entities.every(({ groups }) => groups.every((group) => rights.administersGroup(group)))
}

/** The person by whose rights a proposal is merged where nobody else asks for the merge. */
function mergerOf({ when, author, newest }: Proposal): Principal {
  return when === null ? author : newest.by
}

/** Whether the approval of a person would count and is not given, or somebody who stops the change is that person. */
function isNamedIn({ objections }: Verdict, { username }: Principal, people: People): boolean {
  const standing = people.find(username)
  const self = { list: () => (standing === null ? [] : [standing]) }
  return objections.some(
    (each) =>
      (each.approvals !== undefined && candidatesFor(each.approvals, self).length > 0) ||
      (isDelegation(each) && each.of.some((name) => isSameName(name, username))),
  )
}

/** Whether somebody has reviewed the change as it is now; an older review is of another one. */
function isReviewedBy(
  principal: Principal,
  { reviews }: Proposal,
  { digest, rules }: Pick<Assessment, 'digest' | 'rules'>,
): boolean {
  const own = reviews.find(({ by }) => isSamePerson(by, principal))
  return own?.digest === digest && own.rules === rules
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
  const mergesItself = proposal.when !== null
  const asked = { proposal, before, after: result.document, effects: null, mergesItself }
  const assessment = await assessMerge(deps, mergerOf(proposal), asked)
  const { verdict } = assessment
  const people = gate.peopleIn(await cache.read(before))
  return async (principal) => {
    if (isReviewedBy(principal, proposal, assessment)) return false
    if (isNamedIn(verdict, principal, people)) return true
    if (!verdict.objections.some(isDelegation)) return false
    const own = await assessMerge(deps, principal, asked)
    return !own.verdict.objections.some(isDelegation)
  }
}

/** The merger may not save it alone, and others may; or somebody who might has rejected it. */
function isDelegation({ rule, approvals }: Objection): boolean {
  return rule === 'delegation' && approvals === undefined
}
