import type { Plan } from '../../builds/plan/plan-configuration.ts'
import { DELEGATION } from '../../configuration/gate/delegation.ts'
import { aloneIn } from '../../configuration/gate/own-parts.ts'
import type { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { renderSubject } from '../../document/changes/render-subject.ts'
import type { ChangeSummary } from '../../document/changes/change-summary.ts'
import { findNamedEntity } from '../../document/entities/entities.ts'
import { planContent } from '../../proposals/plan-proposal.ts'
import { prepareAllowed, propose } from '../../proposals/propose.ts'
import type { TouchedPlace } from '../../proposals/proposal-event.ts'
import { type DocumentComparison, PLAIN } from '../code/comparison.ts'
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

/** The notice on the preview of a change that its author may propose but not save. */
export const FOR_OTHERS =
  'You may not save this yourself. Propose it, and somebody who may save it decides.'

/** The effects of a change that its author may propose but not save. */
export interface ProposalPreview {
  readonly comparison: DocumentComparison
  /** Null where it cannot be merged as it is with what others have saved since: its proposal says so. */
  readonly plan: Plan | null
}

/**
 * Previews a change that the caller may not save as its proposal would be: with the entities that it touches, which
 * the caller may view, and nothing around them.
 *
 * @throws {ServiceError} those of `propose`.
 */
export async function previewProposal(
  { builds, proposals }: LeaderPagesContext,
  principal: Principal,
  { base, after, message }: Omit<ChangeToPropose, 'before' | 'summary'>,
): Promise<ProposalPreview> {
  const content = { document: after }
  const ready = await prepareAllowed(proposals, principal, { content, base })
  const before = await builds.history.readDocument(ready.base)
  const shown = [
    await touchedIn(builds, before, ready.touches),
    await touchedIn(builds, ready.document, ready.touches),
  ] as const
  return {
    comparison: await builds.compare(shown, PLAIN),
    plan: await planOf(proposals, principal, { content, base, message }),
  }
}

/** The effects of merging it, without the verdict where that says only that it is for others to save. */
async function planOf(
  proposals: LeaderPagesContext['proposals'],
  principal: Principal,
  asked: Parameters<typeof planContent>[2],
): Promise<Plan | null> {
  try {
    const plan = await planContent(proposals, principal, asked)
    const { needs = [] } = plan.verdict ?? {}
    const isForOthers = needs.length > 0 && needs.every(({ rule }) => rule === DELEGATION)
    return plan.valid ? { ...plan, ...(isForOthers ? { verdict: null } : {}) } : null
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'config-stale') return null
    throw error
  }
}

/** A document with blank lines in the place of all that a change does not touch. */
async function touchedIn(
  { summary }: { readonly summary: ChangeSummary },
  document: Uint8Array<ArrayBuffer>,
  touches: readonly TouchedPlace[],
): Promise<Uint8Array<ArrayBuffer>> {
  const reading = await summary.read(document)
  if (!('root' in reading)) return new Uint8Array()
  const found = touches.flatMap(({ entity }) => findNamedEntity(reading.root, entity) ?? [])
  const elements = found.map(({ element }) => element)
  return new Uint8Array(Buffer.from(aloneIn(reading, elements)))
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
  const title = said === '' ? await summaryOf(context, change) : said
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
  { before, after, summary }: ChangeToPropose,
): Promise<string> {
  if (summary !== undefined) return summary
  const { changes } = await builds.compare([before, after], PLAIN)
  return changes === null ? 'Change the configuration' : renderSubject(changes.first)
}

/** The notice about a refused save on its preview; null where another page says why. */
export function refusedSave(error: unknown): string | null {
  if (!(error instanceof ServiceError) || error.code !== 'not-permitted') return null
  const isForOthers = 'propose' in error.facts && error.facts.propose !== undefined
  return isForOthers ? `${error.message}. Nothing is saved. You can propose it instead.` : null
}
