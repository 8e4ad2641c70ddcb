import type { Context } from 'hono'
import { entityTextsOf, textsSince } from './entity-texts.ts'
import { mergeProposal } from '../../proposals/merge-proposal.ts'
import { type Proposal, PROPOSAL_STATES, type ProposalVersion } from '../../proposals/proposal.ts'
import { listProposals, readProposal } from '../../proposals/read-proposals.ts'
import {
  closeProposal,
  commentOnProposal,
  reviewProposal,
  takeReviewBack,
} from '../../proposals/review.ts'
import { checkedMessage } from '../../http/change-message.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import { type Form, readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { PLAIN } from '../code/plain-options.ts'
import type { FlashKind } from '../frame/flash-message.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, pageWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { type Refusal, refusalOf } from '../runs/refusal.ts'
import { ProposalView } from './proposal-view.tsx'
import { ProposalsView } from './proposals-view.tsx'

const MAX_FORM_BYTES = 65_536
const ONE = '/proposals/:number'
type ProposalPageContext = Context<RouteEnv, typeof ONE>

const route = pageWith<LeaderPagesContext>()

/** `/proposals`: changes that wait for others, and one of them with the forms to decide about it. */
export const proposalsPages = defineLeaderPage({
  open: (context) => context,
  routes: [
    route({ method: 'GET', path: '/proposals', handle: answerList }),
    route({
      method: 'GET',
      path: ONE,
      errors: ['proposal-not-found'],
      handle: (c, context) => answer(context, c, null),
    }),
    route({
      method: 'POST',
      path: ONE,
      scope: 'operate',
      errors: ['proposal-not-found', 'not-permitted'],
      handle: async (c, context) => {
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        const outcome = await refusalOf(c.env, () => act(context, c, form))
        if ('done' in outcome) return c.redirect(outcome.done, 303)
        return answer(context, c, outcome.refusal)
      },
    }),
  ],
})

async function answerList(
  c: Context<RouteEnv>,
  { pages, proposals, clock }: LeaderPagesContext,
): Promise<Response> {
  const { principal } = c.env
  const state = PROPOSAL_STATES.find((each) => each === c.req.query('state')) ?? 'open'
  const isWaiting = c.req.query('waiting-for') === 'me'
  const query = { state, isWaitingForCaller: isWaiting }
  const view = {
    frame: pages.frame(c.req.raw, principal),
    proposals: await listProposals(proposals, principal, query),
    state,
    isWaiting,
    now: clock(),
  }
  return pageResponse(<ProposalsView {...view} />)
}

async function answer(
  { pages, proposals, builds, clock }: LeaderPagesContext,
  c: ProposalPageContext,
  refusal: Refusal | null,
): Promise<Response> {
  const { principal } = c.env
  const detail = await readProposal(proposals, principal, numberOf(c))
  const frame = pages.frame(c.req.raw, principal)
  const since = sinceIn(c, detail.proposal)
  const { before, after } =
    since !== null
      ? await textsSince(proposals, detail.proposal, since)
      : frame.isAdministrator
        ? detail.documents
        : await entityTextsOf(proposals, detail)
  const view = {
    frame,
    detail,
    since: since?.version ?? null,
    comparison: await builds.compare([before, after], PLAIN),
    flash: refusal?.flash ?? pages.flash.take(c),
    now: clock(),
  }
  return pageResponse(<ProposalView {...view} />, refusal?.status)
}

/** Performs the action of a button, and returns the address to redirect to. */
async function act(
  { pages, proposals }: LeaderPagesContext,
  c: ProposalPageContext,
  form: Form,
): Promise<string> {
  const { principal } = c.env
  const number = numberOf(c)
  const text = checkedMessage(textField(form, 'text') ?? '', 'text')
  const action = textField(form, 'action') ?? ''
  const version = parseWholeNumber(textField(form, 'version') ?? '0', 'version') || null
  const audited = (name: string) => {
    c.env.auditActions = [{ action: name, target: `/api/proposals/${number}` }]
  }
  const done = (kind: FlashKind) =>
    pages.links.proposal(number, pages.flash.query(principal, kind, `${number}`))
  switch (action) {
    case 'approve':
    case 'reject':
      audited(action)
      await reviewProposal(proposals, principal, number, { decision: action, version, text })
      return done(action === 'approve' ? 'approved' : 'rejected')
    case 'take-back':
      audited('reject')
      await takeReviewBack(proposals, principal, number)
      return done('review-taken-back')
    case 'comment':
      if (text === '') throw malformed('The comment is empty', 'text')
      audited('comment-proposal')
      await commentOnProposal(proposals, principal, number, { text, ...placeIn(form) })
      return done('commented')
    case 'merge':
      audited('merge-proposal')
      await mergeProposal(proposals, principal, number, { message: '' })
      return done('merged')
    case 'close':
      audited('close-proposal')
      await closeProposal(proposals, principal, number, text)
      return done('closed')
    default:
      throw malformed(`"${action}" is not an action`, 'action')
  }
}

/** The entity or the line that a comment is about. */
function placeIn(form: Form): { readonly entity: string | null; readonly line: number | null } {
  const entity = textField(form, 'entity') ?? ''
  const line = textField(form, 'line') ?? ''
  return {
    entity: entity === '' ? null : entity,
    line: line === '' ? null : parseWholeNumber(line, 'line'),
  }
}

/** The older version that the newest one is compared with; null for what merging changes. */
function sinceIn(c: ProposalPageContext, { versions }: Proposal): ProposalVersion | null {
  const since = c.req.query('since')
  if (since === undefined) return null
  const wanted = parseWholeNumber(since, 'since')
  const found = versions.find(({ version }) => version === wanted)
  if (found !== undefined) return found
  throw malformed(`There is no version ${wanted}`, 'since')
}

function numberOf(c: ProposalPageContext): number {
  return parseWholeNumber(c.req.param('number'), 'number')
}
