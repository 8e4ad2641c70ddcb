import type { Digest } from '../../core/digest.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { Choice } from '../../document/merge/merge-conflict.ts'
import { malformed } from '../../http/parameters.ts'
import type { Proposal } from '../../proposals/proposal.ts'
import { assertNewest, assertOpen } from '../../proposals/people.ts'
import { findVisible, updateProposal } from '../../proposals/propose.ts'
import { readVersion } from '../../proposals/proposed-result.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import type { ConflictPlace } from '../work/edit-merge.ts'
import { mergeRequest } from '../work/merge-request.ts'

type SolvingContext = Pick<LeaderPagesContext, 'proposals' | 'builds'>

/** The parts of a proposal that others have changed in another way since, with both sides of each. */
export interface ProposalConflicts {
  /** The revision that it is in conflict with. */
  readonly current: Revision
  readonly places: readonly ConflictPlace[]
}

export async function readConflicts(
  context: SolvingContext,
  proposal: Proposal,
): Promise<ProposalConflicts> {
  const current = context.builds.history.current()
  const merge = await context.builds.work.mergeEdit(await sidesOf(context, proposal, current))
  return { current, places: merge.kind === 'conflict' ? merge.places : [] }
}

interface SolvedConflicts {
  /** The version whose conflicts they are; the newest one when null. */
  readonly version: number | null
  /** The configuration that it was in conflict with. */
  readonly against: Digest
  readonly choices: readonly (Choice | null)[]
}

/**
 * Gives a proposal its next version, with a choice made at each of its conflicts. What others have saved
 * after the conflicts were shown is merged as always.
 *
 * @throws {ServiceError} `malformed-request` while a choice is missing, `proposal-outdated`, and those of
 * `updateProposal`.
 */
export async function solveConflicts(
  context: SolvingContext,
  principal: Principal,
  number: number,
  { version, against, choices }: SolvedConflicts,
): Promise<void> {
  const { builds, proposals } = context
  const proposal = await findVisible(proposals, principal, number)
  assertOpen(proposal)
  assertNewest(proposal, version)
  const current = await builds.history.findEver(against)
  if (current === null) throw malformed(`The configuration ${against} was never current`, 'against')
  const sides = await sidesOf(context, proposal, current)
  const merge = await builds.work.mergeEdit(sides)
  const made = choices.filter((choice) => choice !== null)
  const count = merge.kind === 'conflict' ? merge.places.length : 0
  if (made.length < count) throw malformed('Choose a side of each conflict', 'choice-0')
  const document = await builds.work.mergeByChoice({ ...sides, choices: made })
  if (document === null) throw malformed('The conflicts cannot be read any more', 'against')
  const update = { content: { document }, base: against, upon: proposal.newest.version }
  await updateProposal(proposals, principal, number, update)
}

async function sidesOf(
  { proposals }: Pick<SolvingContext, 'proposals'>,
  { newest }: Proposal,
  current: Revision,
) {
  const { base: since, before: base, after: ours } = await readVersion(proposals, newest)
  return mergeRequest(proposals, { base, ours, since, upon: current })
}
