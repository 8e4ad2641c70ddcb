import { type Need, ServiceError } from '../../core/errors.ts'
import type { Objection, Verdict } from './rules/verdict.ts'

const PROPOSALS = '/api/proposals'

/** The error for a change that does not pass, with what it needs. */
export function gateRefusal(verdict: Pick<Verdict, 'objections'>): ServiceError<'not-permitted'> {
  const needs = needsOf(verdict)
  return new ServiceError('not-permitted', sentenceOf(verdict), {
    permission: 'administer',
    needs,
    ...(needs.length > 0 ? { propose: PROPOSALS } : {}),
  })
}

/** The answer of the gate to a change that is only planned. */
export interface PlannedVerdict {
  readonly kind: Verdict['kind']
  /** Absent for a change that is allowed. */
  readonly reason?: string
  readonly needs: readonly Need[]
}

export function plannedVerdict(verdict: Verdict): PlannedVerdict {
  const { kind } = verdict
  const reason = kind === 'allowed' ? {} : { reason: sentenceOf(verdict) }
  return { kind, ...reason, needs: needsOf(verdict) }
}

function sentenceOf({ objections }: Pick<Verdict, 'objections'>): string {
  return [...new Set(objections.map(({ sentence }) => sentence))].join('; ')
}

function needsOf({ objections }: Pick<Verdict, 'objections'>): readonly Need[] {
  return objections.filter(isNeed).map(({ rule, of, reason, until, sentence }) => ({
    rule,
    of,
    reason: reason ?? sentence,
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
  }))
}

/** A denial by delegation is a fault of the change, which nobody's decision mends. */
function isNeed({ kind, rule }: Objection): boolean {
  return kind === 'needs' || rule !== 'delegation'
}
