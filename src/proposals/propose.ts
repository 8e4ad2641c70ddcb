import type { Digest } from '../core/digest.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { type ProposedContent, prepareContent, type PreparedContent } from './content.ts'
import { settleMerge } from './settle-merge.ts'
import { assertNewest, assertOpen, assertTokenMaySave, credentialOf, personOf } from './people.ts'
import type { Proposal } from './proposal.ts'
import type { MergeTime } from './proposal-event.ts'
import type { ProposalsDomain } from './proposals-domain.ts'
import type { NewContent } from './proposal-store.ts'
import { assertMayViewAll, mayViewProposal, rightsNow } from './visibility.ts'

type ProposeDeps = Omit<ProposalsDomain, 'plan'>

export interface ProposeRequest {
  readonly title: string
  /** The reason; may be empty. */
  readonly message: string
  readonly when: MergeTime
  readonly content: ProposedContent
  /** The digest of the configuration that it was made from; the current one when null. */
  readonly base: Digest | null
  /** The door outside of the calls about proposals that it comes by; absent for those. */
  readonly door?: string
}

/**
 * Proposes a change. It takes the right to view all that the change touches, and no other.
 *
 * @throws {ServiceError} `config-invalid`, `malformed-request`, `not-permitted`, `snapshot-not-found`.
 */
export async function propose(
  deps: ProposeDeps,
  principal: Principal,
  { title, message, when, content, base, door }: ProposeRequest,
): Promise<Proposal> {
  if (when !== null) assertTokenMaySave(principal)
  const prepared = await prepareAllowed(deps, principal, { content, base })
  const by = personOf(principal)
  const words = { title, message, when }
  const first = versionContent(prepared, principal, words)
  return deps.store.open(principal, first, ({ version, commit }) => ({
    type: 'open',
    by,
    ...words,
    version,
    commit,
    credential: credentialOf(principal),
    base: prepared.base.commit,
    touches: prepared.touches,
    ...(door === undefined ? {} : { door }),
  }))
}

export interface UpdateRequest extends Partial<Pick<ProposeRequest, 'title' | 'message' | 'when'>> {
  readonly content: ProposedContent
  readonly base: Digest | null
  /** The version that it takes the place of; any when absent. */
  readonly upon?: number
}

/**
 * Replaces the content of a proposal, as its next version. Whoever does it is a contributor from then on.
 *
 * @throws {ServiceError} `proposal-not-found`, `proposal-not-open`, and those of {@link propose}.
 */
export async function updateProposal(
  deps: ProposeDeps,
  principal: Principal,
  number: number,
  { content, base, title, message, when, upon }: UpdateRequest,
): Promise<Proposal> {
  const found = await findVisible(deps, principal, number)
  assertOpen(found)
  const merges = when === undefined ? found.when : when
  if (merges !== null) assertTokenMaySave(principal)
  const prepared = await prepareAllowed(deps, principal, { content, base })
  const words = { title: title ?? found.title, message: message ?? found.message }
  const next = versionContent(prepared, principal, words)
  const updated = await deps.queues.run(number, () =>
    deps.store.update(principal, number, next, (proposal, { version, commit }) => {
      assertOpen(proposal)
      assertNewest(proposal, upon ?? null)
      return {
        type: 'update',
        by: personOf(principal),
        version,
        commit,
        credential: credentialOf(principal),
        base: prepared.base.commit,
        touches: prepared.touches,
        ...(title === undefined ? {} : { title }),
        ...(message === undefined ? {} : { message }),
        ...(when === undefined ? {} : { when }),
      }
    }),
  )
  return updated ?? missing(number)
}

/**
 * A proposal that the caller may view. One that is hidden is not there.
 *
 * @throws {ServiceError} `proposal-not-found`.
 */
export async function findVisible(
  deps: Pick<ProposalsDomain, 'store' | 'access' | 'configuration' | 'history'>,
  principal: Principal,
  number: number,
): Promise<Proposal> {
  const found = await deps.store.find(number)
  if (found === null) return missing(number)
  const proposal = await settleMerge(deps, found)
  return mayViewProposal(deps, rightsNow(deps, principal), proposal) ? proposal : missing(number)
}

export function missing(number: number): never {
  throw new ServiceError('proposal-not-found', `There is no proposal ${number}`, { number })
}

/** A content that is ready to be a version, by somebody who may propose it. */
export async function prepareAllowed(
  deps: ProposeDeps,
  principal: Principal,
  { content, base: digest }: Pick<ProposeRequest, 'content' | 'base'>,
): Promise<PreparedContent> {
  const rights = rightsNow(deps, principal)
  const prepared = await prepareContent(deps, { content, digest, principal, rights })
  assertMayViewAll(deps, principal, prepared.touches)
  return prepared
}

export function versionContent(
  { base, document }: PreparedContent,
  { username: author }: Principal,
  { title, message }: Pick<ProposeRequest, 'title' | 'message'>,
): NewContent {
  const text = message === '' ? `${title}\n` : `${title}\n\n${message}\n`
  return { base: base.commit, document, author, message: text }
}
