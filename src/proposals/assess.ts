import type { Review, ReviewedProposal } from '../core/change-origin.ts'
import type { Principal } from '../core/principal.ts'
import type { Assessment } from '../configuration/gate/gate.ts'
import type { GateChange } from '../configuration/gate/rules/question.ts'
import type { RuleSet } from '../configuration/gate/rules/rule.ts'
import type { Ruling, Verdict } from '../configuration/gate/rules/verdict.ts'
import type { ConfigDocument } from '../document/document.ts'
import type { Plan } from '../builds/plan/plan-configuration.ts'
import type { SeenEffects } from './proposal-event.ts'
import type { Proposal } from './proposal.ts'
import type { ProposalsDomain } from './proposals-domain.ts'

/**
 * A proposal as the gate sees it: with the reviews that have seen at least these effects, by people who
 * can still log in.
 */
export async function reviewedProposal(
  { isStillUser }: Pick<ProposalsDomain, 'isStillUser'>,
  { number, author, contributors, writers, reviews, newest }: Proposal,
  { effects, mergesItself = false }: Pick<AskedMerge, 'effects' | 'mergesItself'>,
): Promise<ReviewedProposal> {
  const standing: Review[] = []
  for (const { by, type, digest, rules, effects: seen } of reviews) {
    if (type === 'approve' && effects !== null && !hasSeen(seen, effects)) continue
    if (!(await isStillUser(by))) continue
    const { username, ...who } = by
    standing.push({ by: username, ...who, decision: type, digest, rules })
  }
  return {
    number,
    author: author.username,
    contributors,
    writers,
    reviews: standing,
    ...(mergesItself ? { mergesItself, entities: newest.touches.map(({ entity }) => entity) } : {}),
  }
}

export interface AskedMerge {
  readonly proposal: Proposal
  readonly before: Uint8Array<ArrayBuffer>
  readonly after: Uint8Array<ArrayBuffer>
  readonly effects: SeenEffects | null
  /** Whether nobody asks for the merge; false when absent. */
  readonly mergesItself?: boolean
}

/** The verdict about merging a proposal now, and the digest that an approval of it has. */
export async function assessMerge(
  deps: Pick<ProposalsDomain, 'gate' | 'isStillUser'>,
  principal: Principal,
  { proposal, before, after, ...asked }: AskedMerge,
): Promise<Assessment> {
  const reviewed = await reviewedProposal(deps, proposal, asked)
  const origin = { door: 'proposal', principal, proposal: reviewed } as const
  return deps.gate.assess({ before, after }, { origin, message: proposal.message })
}

/** The verdict about merging a proposal now that makes a change which is described already, and the built-in rule's answer. */
export async function assessWritten(
  deps: Pick<ProposalsDomain, 'gate' | 'isStillUser'>,
  principal: Principal,
  {
    proposal,
    change,
    document,
    rules,
    delegation,
  }: {
    readonly proposal: Proposal
    readonly change: GateChange
    /** The configuration in force. */
    readonly document: ConfigDocument
    readonly rules: RuleSet
    readonly delegation: Ruling
  },
): Promise<Verdict> {
  const asked = { effects: null, mergesItself: proposal.when !== null }
  const reviewed = await reviewedProposal(deps, proposal, asked)
  const origin = { door: 'proposal', principal, proposal: reviewed } as const
  const { message } = proposal
  const at = { origin, message, rules, delegation }
  return (await deps.gate.assessDescribed(change, document, at)).verdict
}

/** The effects of a plan that approvers answer for. */
export function effectsOf({ starts, permissions }: Plan): SeenEffects {
  return {
    starts: starts.map(({ pipeline }) => pipeline).toSorted(),
    gains: permissions
      .flatMap(({ user, gains }) => gains.map((gain) => `${user}: ${gain}`))
      .toSorted(),
  }
}

/** Whether an approval has seen all of these effects. */
export function hasSeen(seen: SeenEffects, effects: SeenEffects): boolean {
  return (
    effects.starts.every((pipeline) => seen.starts.includes(pipeline)) &&
    effects.gains.every((gain) => seen.gains.includes(gain))
  )
}
