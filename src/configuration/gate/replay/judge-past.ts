import type { ConfigDocument } from '../../../document/document.ts'
import type { ReviewedProposal } from '../../../core/change-origin.ts'
import type { Gate } from '../gate.ts'
import { callerIn, pastPeopleIn } from '../people-of.ts'
import { asksForPlan, judgeChange } from '../rules/judge-change.ts'
import type { GateChange, PlanFacts, Question } from '../rules/question.ts'
import type { RuleSet } from '../rules/rule.ts'
import { ALLOWED, type Verdict } from '../rules/verdict.ts'
import type { PastOrigin } from './past-origin.ts'

/** A change of the past, with the document whose rights and people count. */
export interface PastChange {
  readonly change: GateChange
  readonly document: ConfigDocument
  readonly origin: PastOrigin
  readonly rules: RuleSet
  readonly readPlan: () => Promise<PlanFacts | null>
}

/**
 * The verdict of some rules on a change of the past. Whether its author might make it at all was asked
 * then, and approvals of then count for these rules.
 */
export async function judgePast(
  gate: Pick<Gate, 'knownRights'>,
  { change, document, origin, rules, readPlan }: PastChange,
): Promise<Verdict> {
  const { doors, principal, reason, time } = origin
  const { configuration } = document
  const { knownRights } = gate
  const question: Question = {
    change,
    door: doors[0],
    caller: principal === null ? null : callerIn(configuration, knownRights, principal),
    reason,
    proposal: proposalOf(origin, rules),
    rules,
    people: pastPeopleIn(configuration, knownRights),
    plan: null,
    now: time,
    isRecovery: false,
    delegation: ALLOWED,
  }
  return judgeChange({ ...question, plan: asksForPlan(question) ? await readPlan() : null })
}

function proposalOf({ proposal, principal }: PastOrigin, rules: RuleSet): ReviewedProposal | null {
  if (proposal === null || principal === null) return null
  const { username } = principal
  return {
    number: proposal.number,
    author: username,
    contributors: [username],
    writers: [{ username, credential: 'session' }],
    reviews: proposal.approvals.map(({ by, digest }) => {
      return { by, digest, decision: 'approve', rules: rules.version } as const
    }),
  }
}
