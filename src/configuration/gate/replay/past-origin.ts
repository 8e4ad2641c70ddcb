import type { Door } from '../../../core/change-origin.ts'
import type { Principal } from '../../../core/principal.ts'
import { type Revision, type RevisionKind, revisionKindOf } from '../../../core/revision.ts'
import { reasonIn, type Trailer, trailerValues } from '../../../history/revision/message.ts'
import { approvalsIn, overridesIn } from '../override.ts'
import type { GateRule } from '../rules/rule.ts'

/** The way in which a change of the past came, as far as its revision tells. */
export interface PastOrigin {
  /** The doors that it may have come by: history does not keep which. */
  readonly doors: readonly [Door, ...Door[]]
  /** The user who merged the proposal, or made the change; null at the doors without a caller. */
  readonly principal: Principal | null
  readonly reason: string
  /** Milliseconds since the UNIX epoch. */
  readonly time: number
  /** The proposal that it merged, with the approvals that counted. */
  readonly proposal: PastProposal | null
}

interface PastProposal {
  readonly number: number
  readonly author: string
  /** Absent where its author merged it. */
  readonly mergedBy: string | undefined
  readonly approvals: readonly { readonly by: string; readonly digest: string }[]
}

/** None for what the service makes by itself, which no rule holds up. */
const DOORS: Readonly<Record<RevisionKind, PastOrigin['doors'] | null>> = {
  person: [
    'put',
    'post',
    'form',
    'entity',
    'create-pipeline',
    'restore',
    'undo',
    'agent-administration',
  ],
  git: ['push', 'native-commit'],
  'file-system': ['live-file'],
  agent: ['agent-registration'],
  upgrade: null,
}
const PROPOSAL: PastOrigin['doors'] = ['proposal']

/** The origin of a revision by its author, its message and its trailers; null for the service itself. */
export function pastOriginOf(revision: Revision, trailers: readonly Trailer[]): PastOrigin | null {
  const { username, message, time } = revision
  const kind = revisionKindOf(revision)
  const proposal = proposalIn(revision, trailers)
  const doors = proposal === null ? DOORS[kind] : PROPOSAL
  if (doors === null) return null
  const isByCaller = proposal !== null || kind === 'person' || kind === 'git'
  const overrides = overridesIn(trailers).map(({ rule }) => rule)
  return {
    doors,
    principal: isByCaller ? { username: proposal?.mergedBy ?? username, overrides } : null,
    reason: reasonIn(message),
    time,
    proposal,
  }
}

function proposalIn(
  { username: author }: Revision,
  trailers: readonly Trailer[],
): PastProposal | null {
  const number = Number(trailerValues(trailers, 'Proposal')[0] ?? Number.NaN)
  if (!Number.isSafeInteger(number)) return null
  const [mergedBy] = trailerValues(trailers, 'Merged-by')
  return { number, author, mergedBy, approvals: approvalsIn(trailers) }
}

/**
 * The rules that may be about a change of this origin, without their doors and credentials, which the
 * history does not tell: where they may fit, they are taken to fit.
 */
export function rulesAbout(
  rules: readonly GateRule[],
  { doors, principal }: Pick<PastOrigin, 'doors' | 'principal'>,
): readonly GateRule[] {
  return rules.flatMap((rule) => {
    const { match } = rule
    if (match.doors !== null && !match.doors.some((door) => doors.includes(door))) return []
    const credentials = principal === null ? match.credentials : null
    return [{ ...rule, match: { ...match, doors: null, credentials } }]
  })
}

/** The facts that a rule asks for and history does not tell. */
export function assumedBy({ match }: GateRule): readonly ('door' | 'credential' | 'plan')[] {
  const { doors, credentials, plan } = match
  const isDoorKnown =
    doors === null || Object.values(DOORS).every((all) => all === null || isAllOrNone(all, doors))
  return [
    ...(isDoorKnown ? [] : (['door'] as const)),
    ...(credentials === null ? [] : (['credential'] as const)),
    ...(plan === null ? [] : (['plan'] as const)),
  ]
}

function isAllOrNone(all: readonly Door[], doors: readonly Door[]): boolean {
  return all.every((door) => doors.includes(door)) || !all.some((door) => doors.includes(door))
}
