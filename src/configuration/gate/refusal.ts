import { type Need, ServiceError } from '../../core/errors.ts'
import { DOCUMENT } from '../../document/entities/entities.ts'
import { needsAdministrator } from './delegation.ts'
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

/**
 * Asserts what nobody may make a change without. A refusal says what the change needs, as that of the gate.
 *
 * @throws {ServiceError} `not-permitted`, and whatever else `assert` throws.
 */
export function assertMayChange(assert: () => void, place = DOCUMENT): void {
  try {
    assert()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not-permitted') throw error
    throw gateRefusal({ objections: [needsAdministrator(place, error.message)] })
  }
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
