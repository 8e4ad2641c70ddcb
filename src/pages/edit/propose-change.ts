import type { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { renderSubject } from '../../document/changes/render-subject.ts'
import { propose } from '../../proposals/propose.ts'
import { PLAIN } from '../code/comparison.ts'
import type { FormDone } from '../frame/form-action.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'

/** A change that a form would save, from one document to another. */
export interface ChangeToPropose {
  /** The digest of the document before. */
  readonly base: Digest
  readonly before: Uint8Array<ArrayBuffer>
  readonly after: Uint8Array<ArrayBuffer>
  /** The reason in the words of its author, of which the first line is the title; may be empty. */
  readonly message: string
  /** The title of one without a reason; the first of its changes when absent. */
  readonly summary?: string
}

/**
 * Proposes the change of a form, and leads to the proposal.
 *
 * @throws {ServiceError} those of `propose`.
 */
export async function proposeChange(
  context: LeaderPagesContext,
  principal: Principal,
  change: ChangeToPropose,
): Promise<FormDone> {
  const { pages, proposals } = context
  const { base, after, message } = change
  const [said = ''] = message.split('\n', 1)
  const title = said === '' ? await summaryOf(context, principal, change) : said
  const content = { document: after }
  const words = { title, message, when: null, door: 'form' }
  const { number } = await propose(proposals, principal, { ...words, content, base })
  return {
    says: ['proposed', `proposal ${number}`],
    to: (flash) => pages.links.proposal(number, flash),
    audited: { action: 'propose', target: `/api/proposals/${number}` },
  }
}

async function summaryOf(
  { builds }: LeaderPagesContext,
  principal: Principal,
  { before, after, summary }: ChangeToPropose,
): Promise<string> {
  if (summary !== undefined) return summary
  const view = await builds.gate.viewFor(principal, { before, after })
  const { changes } = await builds.compare(view, PLAIN)
  return changes === null ? 'Change the configuration' : renderSubject(changes.first)
}

/** The notice about a refused save on its preview; null where another page says why. */
export function refusedSave(error: unknown): string | null {
  if (!(error instanceof ServiceError) || error.code !== 'not-permitted') return null
  const isForOthers = 'propose' in error.facts && error.facts.propose !== undefined
  return isForOthers ? `${error.message}. Nothing is saved. You can propose it instead.` : null
}
