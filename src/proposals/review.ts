import { parseEntityKey } from '../configuration/changes/config-changes.ts'
import { currentDocument } from '../configuration/current/current-document.ts'
import { ServiceError } from '../core/errors.ts'
import { nameKey } from '../core/name-key.ts'
import { isSamePerson, type Principal } from '../core/principal.ts'
import { notValid } from '../history/revision/problems.ts'
import { assessMerge, effectsOf } from './assess.ts'
import { mergedUpon } from './proposed-result.ts'
import { assertIsPerson, assertNewest, assertOpen, outdated, personOf } from './people.ts'
import type { Proposal } from './proposal.ts'
import type { ProposalsDomain } from './proposals-domain.ts'
import type { NewEvent } from './proposal-store.ts'
import { findVisible, missing } from './propose.ts'
import { toldProblems } from './visibility.ts'

export interface ReviewRequest {
  readonly decision: 'approve' | 'reject'
  /** The version that the reviewer has seen; the newest one when null. */
  readonly version: number | null
  readonly text: string
}

/**
 * Approves or rejects the newest version of a proposal, in place of an older review by the same person.
 * It holds for the bytes of the entities that the proposal changes, before and after.
 *
 * @throws {ServiceError} `proposal-not-found`, `proposal-not-open`; `proposal-outdated` for an older version,
 * and for one that cannot be merged any more; `not-permitted` for a token.
 */
export async function reviewProposal(
  deps: ProposalsDomain,
  principal: Principal,
  number: number,
  { decision, version, text }: ReviewRequest,
): Promise<Proposal> {
  assertIsPerson(principal)
  const proposal = await findVisible(deps, principal, number)
  assertOpen(proposal)
  assertNewest(proposal, version)
  const seen = await seenChange(deps, principal, proposal)
  return add(deps, { principal, number }, (newest) => {
    assertOpen(newest)
    assertNewest(newest, proposal.newest.version)
    const { version: reviewed } = newest.newest
    return { type: decision, by: personOf(principal), version: reviewed, text, ...seen }
  })
}

/**
 * Takes the caller's own review back.
 *
 * @throws {ServiceError} `proposal-not-found`, `proposal-not-open`, `not-permitted` for a token.
 */
export async function takeReviewBack(
  deps: ProposalsDomain,
  principal: Principal,
  number: number,
): Promise<Proposal> {
  assertIsPerson(principal)
  await findVisible(deps, principal, number)
  return add(deps, { principal, number }, (proposal) => {
    assertOpen(proposal)
    const isThere = proposal.reviews.some(({ by }) => isSamePerson(by, principal))
    return isThere ? { type: 'take-back', by: personOf(principal) } : null
  })
}

export interface CommentRequest {
  readonly text: string
  /** The entity, or the line of the document, that it is about; null for the whole proposal. */
  readonly entity: string | null
  readonly line: number | null
}

/**
 * Comments on a proposal that the caller may view.
 *
 * @throws {ServiceError} `proposal-not-found`, `not-permitted` for a token, `malformed-request` for an entity that
 * there cannot be.
 */
export async function commentOnProposal(
  deps: ProposalsDomain,
  principal: Principal,
  number: number,
  { text, entity, line }: CommentRequest,
): Promise<Proposal> {
  assertIsPerson(principal)
  await findVisible(deps, principal, number)
  const about = entity === null ? {} : { entity: parseEntityKey(entity) }
  return add(deps, { principal, number }, ({ newest: { version } }) => ({
    type: 'comment',
    by: personOf(principal),
    version,
    text,
    ...about,
    ...(line === null ? {} : { line }),
  }))
}

/**
 * Closes a proposal without merging it. It takes its author, or an administrator of the server.
 *
 * @throws {ServiceError} `proposal-not-found`, `proposal-not-open`, `not-permitted`.
 */
export async function closeProposal(
  deps: ProposalsDomain,
  principal: Principal,
  number: number,
  text: string,
): Promise<Proposal> {
  const found = await findVisible(deps, principal, number)
  const isOwn = nameKey(found.author.username) === nameKey(principal.username)
  if (!isOwn && !deps.access.may(principal, { action: 'administer' })) {
    const message = `Only ${found.author.username} or an administrator may close the proposal ${number}`
    throw new ServiceError('not-permitted', message, { permission: 'administer' })
  }
  return add(deps, { principal, number }, (proposal) => {
    assertOpen(proposal)
    return { type: 'close', by: personOf(principal), text }
  })
}

/** The change that a reviewer sees: its digest, the version of the rules, and its effects. */
async function seenChange(deps: ProposalsDomain, principal: Principal, proposal: Proposal) {
  const { plan } = deps
  const before = await currentDocument(deps)
  const result = await mergedUpon(deps, proposal.newest, before)
  if (result.kind === 'invalid') throw notValid(await toldProblems(deps, principal, result))
  if (result.kind === 'conflicts') throw outdated(proposal)
  const effects = effectsOf(await plan(result.document, principal))
  const change = { proposal, before, after: result.document, effects }
  const { digest, rules } = await assessMerge(deps, principal, change)
  return { digest, rules, effects }
}

async function add(
  { store, queues }: ProposalsDomain,
  { principal, number }: { readonly principal: Principal; readonly number: number },
  eventOf: (proposal: Proposal) => NewEvent | null,
): Promise<Proposal> {
  const added = await queues.run(number, () => store.add(principal, number, eventOf))
  return added ?? missing(number)
}
