import { malformedRequest } from '../core/errors.ts'
import { describeStarts } from '../builds/plan/plan-push.ts'
import { isSameName } from '../core/name-key.ts'
import type { Principal } from '../core/principal.ts'
import type { CommitSha } from '../core/revision.ts'
import { bodyOf, oneLine, subjectOf } from '../history/revision/message.ts'
import type { Proposal } from './proposal.ts'
import type { ProposalsDomain } from './proposals-domain.ts'
import { propose, updateProposal } from './propose.ts'
import { type ProposalDetail, readProposal } from './read-proposals.ts'

const DOOR = 'push'
const MAX_TITLE_LENGTH = 200

/** A proposal that was pushed, and a file beside the document that the push changes too; null for none. */
interface PushedProposalDetail extends ProposalDetail {
  readonly otherFile: string | null
}

/**
 * Proposes the newest document of a push. The subject of its oldest commit is the title; a push under the
 * title of an open proposal that the same user has pushed is the next version of that.
 *
 * @throws {ServiceError} `malformed-request` where the push adds nothing, and those of {@link propose}.
 */
export async function proposePush(
  deps: ProposalsDomain,
  principal: Principal,
  commit: CommitSha,
): Promise<PushedProposalDetail> {
  const pushed = await deps.history.readPushed(commit)
  if (pushed === null)
    throw malformedRequest('The push has no new commit on top of a revision of the branch')
  const { document, base, otherFile } = pushed
  const title = oneLine(subjectOf(pushed.message)).slice(0, MAX_TITLE_LENGTH) || 'A push'
  const message = bodyOf(pushed.message)
  const content = { content: { document }, base: base.digest, title, message }
  const known = await findPushed(deps, principal, title)
  const { number } =
    known === null
      ? await propose(deps, principal, { ...content, when: null, door: DOOR })
      : await updateProposal(deps, principal, known.number, content)
  return { ...(await readProposal(deps, principal, number)), otherFile }
}

async function findPushed(
  { store }: ProposalsDomain,
  { username }: Principal,
  title: string,
): Promise<Proposal | null> {
  const isSame = (each: Proposal) =>
    each.state === 'open' &&
    each.door === DOOR &&
    each.title === title &&
    isSameName(each.author.username, username)
  return (await store.list()).find(isSame) ?? null
}

/** The state of a proposal, as lines for a terminal. */
export function describeForTerminal(
  { proposal, verdict, plan, conflicts, otherFile }: PushedProposalDetail,
  address: string,
): readonly string[] {
  const { number, newest } = proposal
  const missing = verdict?.objections.map(({ sentence }) => `  missing: ${sentence}`) ?? []
  return [
    `Proposal ${number}, version ${newest.version}: ${address}`,
    ...(otherFile === null
      ? []
      : [`  left out: ${otherFile}, because a proposal has the configuration alone`]),
    ...(plan === null ? [] : describeStarts(plan.starts)),
    ...(conflicts.length > 0 ? ['  it touches what has changed since: rebase it'] : []),
    ...(verdict?.kind === 'allowed' ? ['  nothing is missing: it can be merged'] : missing),
  ]
}
