import { NO_EFFECTS } from '../builds/plan/plan-configuration.ts'
import { NOTHING_HIDDEN, planFor, type ShownPlan } from '../builds/plan/plan-view.ts'
import type { Digest } from '../core/digest.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { Problem } from '../core/problem.ts'
import { currentDocument } from '../configuration/current/current-document.ts'
import { type ProposedContent, touchesOf } from './content.ts'
import { assertOpen, outdated } from './people.ts'
import { mergedBetween } from './proposed-result.ts'
import type { ProposalsDomain } from './proposals-domain.ts'
import { prepareAllowed } from './propose.ts'
import { readProposal } from './read-proposals.ts'
import { assertMayViewAll, rightsNow, toldProblems } from './visibility.ts'

/**
 * Computes the effects of merging a content now, as a proposal of the caller would; nothing is kept.
 *
 * @throws {ServiceError} those of `propose`, and `config-stale` where it touches what has changed since.
 */
export async function planContent(
  deps: ProposalsDomain,
  principal: Principal,
  asked: {
    readonly content: ProposedContent
    readonly base: Digest | null
    readonly message: string
  },
): Promise<ShownPlan> {
  const { history } = deps
  const current = history.current()
  try {
    const { base, document } = await prepareAllowed(deps, principal, asked)
    const before = await history.readDocument(base)
    const sides = { base, before, after: document, current: await history.readDocument(current) }
    const merged = await mergedBetween(deps, sides)
    if (merged.kind === 'invalid') {
      return invalid(current.digest, await toldProblems(deps, principal, merged))
    }
    if (merged.kind === 'clean') {
      const plan = await deps.plan(merged.document, principal, asked)
      return await planFor(deps, principal, { plan, document: merged.document })
    }
    const message = 'The proposal touches what has changed since'
    const problems = merged.conflicts.map(({ path, ours }) => ({
      message: `${path} has changed since`,
      line: ours.line,
    }))
    throw new ServiceError('config-stale', message, { current: current.digest, problems })
  } catch (error) {
    if (!(error instanceof ServiceError) || !isInvalid(error)) throw error
    return invalid(current.digest, error.facts.problems)
  }
}

/**
 * Computes the effects of saving a whole document now, with a reason that may be empty, for those who may view all
 * that it changes; nothing is saved.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function planSave(
  deps: ProposalsDomain,
  principal: Principal,
  { document, message }: { readonly document: Uint8Array<ArrayBuffer>; readonly message: string },
): Promise<ShownPlan> {
  if (!rightsNow(deps, principal).isAdministrator) {
    const inspection = await deps.cache.inspect(document)
    const before = await currentDocument(deps)
    const touches = inspection.ok ? await touchesOf(deps, before, inspection.document) : []
    assertMayViewAll(deps, principal, touches)
  }
  const plan = await deps.plan(document, principal, { door: 'put', message })
  return planFor(deps, principal, { plan, document })
}

/**
 * The effects of merging a proposal now.
 *
 * @throws {ServiceError} `proposal-not-found`; `proposal-not-open` for one that has ended, `proposal-outdated`
 * for one that cannot be merged as it is.
 */
export async function planProposal(
  deps: ProposalsDomain,
  principal: Principal,
  number: number,
): Promise<ShownPlan> {
  const { proposal, plan, problems } = await readProposal(deps, principal, number)
  assertOpen(proposal)
  if (plan !== null) return plan
  if (problems.length === 0) throw outdated(proposal)
  return invalid(
    deps.history.current().digest,
    problems.map((message) => ({ message })),
  )
}

function isInvalid(error: ServiceError): error is ServiceError<'config-invalid'> {
  return error.code === 'config-invalid'
}

function invalid(base: Digest, errors: readonly Problem[]): ShownPlan {
  return { ...NO_EFFECTS, base, result: null, valid: false, errors, hidden: NOTHING_HIDDEN }
}
