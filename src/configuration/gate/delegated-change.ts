import type { Review, ReviewedProposal } from '../../core/change-origin.ts'
import { isSameName } from '../../core/name-key.ts'
import type { Principal } from '../../core/principal.ts'
import { DOCUMENT } from '../../document/entities/entities.ts'
import { judgeDelegation } from './delegation.ts'
import { describeChange, type DescribedDocuments } from './describe-change.ts'
import type { Rights } from './people-of.ts'
import { digestOfChange } from './rules/judge-change.ts'
import type { People } from './rules/question.ts'
import { ALLOWED, type Ruling } from './rules/verdict.ts'

/** The rights and the people of the document before a change. */
interface Known {
  readonly rights: Rights
  readonly people: People
}

interface Asking {
  readonly principal: Principal
  readonly proposal: ReviewedProposal | null
  /** The version of the rules that hold. */
  readonly rules: string
}

/**
 * Judges whether a caller might make a change by the rights of now. One of a proposal is delegated where
 * its merger, or somebody who approved these bytes under these rules, might save it alone; its author may
 * merge it too, as does one that merges itself.
 */
export function judgeDelegated(
  known: Known,
  documents: DescribedDocuments,
  { principal, proposal, rules }: Asking,
): Ruling {
  const rejection = proposal === null ? null : rejectionOf(known, documents, proposal)
  if (rejection !== null) return rejection
  const own = judgeFor(known, documents, principal)
  if (own.kind === 'allowed' || proposal === null) return own
  const isAsked = isSameName(proposal.author, principal.username)
  if (!isAsked && proposal.mergesItself !== true) return own
  const digest = digestOfChange(describeChange(documents))
  const isApproved = proposal.reviews.some(
    (review) =>
      review.decision === 'approve' &&
      review.digest === digest &&
      review.rules === rules &&
      mightSave(known, documents, review),
  )
  return isApproved ? ALLOWED : own
}

/** A rejection by somebody who might save the change alone holds its proposal up. */
function rejectionOf(
  known: Known,
  documents: DescribedDocuments,
  { number, reviews }: ReviewedProposal,
): Ruling | null {
  const rejecting = reviews.find(
    (review) => review.decision === 'reject' && mightSave(known, documents, review),
  )
  if (rejecting === undefined) return null
  const sentence = `${rejecting.by} has rejected the proposal ${number}`
  const place = documents.changes[0]?.entity ?? DOCUMENT
  return { kind: 'needs', rule: 'delegation', of: [rejecting.by], place, sentence }
}

/** Whether a reviewer can log in, and might save the change alone. */
function mightSave(
  known: Known,
  documents: DescribedDocuments,
  { by: username, external }: Review,
): boolean {
  if (known.people.find(username, external) === null) return false
  const reviewer = external === undefined ? { username } : { username, external }
  return judgeFor(known, documents, reviewer).kind === 'allowed'
}

function judgeFor(
  { rights }: Known,
  { before, after, changes }: DescribedDocuments,
  principal: Principal,
): Ruling {
  return judgeDelegation({
    username: principal.username,
    before,
    after,
    changes,
    rights: {
      before: rights.rightsIn(before.configuration, principal),
      // Not asked about administrators, and compiled anew for each new configuration.
      get after() {
        return rights.rightsIn(after.configuration, principal)
      },
    },
    isUser: (name) => rights.isUser(name),
  })
}
