import type { Context } from 'hono'
import { z } from 'zod'
import { parseOffset } from '../../core/page.ts'
import { mergeProposal } from '../../proposals/merge-proposal.ts'
import { type Proposal, PROPOSAL_STATES, type ProposalVersion } from '../../proposals/proposal.ts'
import { listProposals, type ProposalDetail, readProposal } from '../../proposals/read-proposals.ts'
import {
  closeProposal,
  commentOnProposal,
  reviewProposal,
  takeReviewBack,
} from '../../proposals/review.ts'
import type { History } from '../../history/history.ts'
import { checkedMessage } from '../../http/change-message.ts'
import { malformed, parseDigest, parseWholeNumber } from '../../http/parameters.ts'
import { type Form, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { choicesIn } from '../edit/edit-form.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import { KeptComparisons, entityTextsOf, textsSince } from './compare-proposal.ts'
import { readConflicts, solveConflicts } from './solve-conflicts.ts'
import type { FlashKind } from '../frame/flash-message.ts'
import type { FormDone, SentForm } from '../frame/form-action.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPageWith, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { fieldProblems, type Refusal } from '../runs/refusal.ts'
import { ProposalView } from './proposal-view.tsx'
import { PROPOSAL_ROWS, ProposalsView } from './proposals-view.tsx'

const Fields = z.object({
  action: z.enum(['approve', 'reject', 'take-back', 'comment', 'solve', 'merge', 'close']),
  text: z.string().default(''),
  version: z.string().default('0'),
  entity: z.string().default(''),
  line: z.string().default(''),
  against: z.string().default(''),
})

const ONE = '/proposals/:number'
type ProposalPageContext = Context<RouteEnv, typeof ONE>

interface ProposalPages extends LeaderPagesContext {
  readonly comparisons: KeptComparisons
}

const { get, formAt } = routesWith<ProposalPages>()

/** `/proposals`: changes that wait for others, and one of them with the forms to decide about it. */
export const proposalsPages = defineLeaderPageWith(
  (context): ProposalPages => ({ ...context, comparisons: new KeptComparisons() }),
  [
    get('/proposals', answerList),
    get(ONE, answer, { errors: ['proposal-not-found'] }),
    formAt(ONE, {
      scope: 'operate',
      errors: ['proposal-not-found', 'not-permitted'],
      fields: Fields,
      act,
      refused: answer,
    }),
  ],
)

async function answerList(
  { pages, proposals }: LeaderPagesContext,
  c: Context<RouteEnv>,
): Promise<Response> {
  const { principal } = c.env
  const state = PROPOSAL_STATES.find((each) => each === c.req.query('state')) ?? 'open'
  const isWaiting = c.req.query('waiting-for') === 'me'
  const offset = parseOffset(c.req.query('offset') ?? '0')
  const query = { state, isWaitingForCaller: isWaiting, limit: null }
  const found = await listProposals(proposals, principal, query)
  const view = {
    ...pages.open(c),
    proposals: found.slice(offset, offset + PROPOSAL_ROWS),
    pagination: { offset, total: found.length, pageSize: PROPOSAL_ROWS },
    state,
    isWaiting,
  }
  return pageResponse(<ProposalsView {...view} />)
}

async function answer(
  context: ProposalPages,
  c: ProposalPageContext,
  refusal: Refusal | null = null,
  sent: Form = new Map(),
): Promise<Response> {
  const { pages, proposals, builds, comparisons } = context
  const { principal } = c.env
  const detail = await readProposal(proposals, principal, numberOf(c))
  const since = sinceIn(c, detail.proposal)
  const { before, after } =
    since !== null
      ? await textsSince(proposals, detail.proposal, since)
      : pages.isAdministrator(principal)
        ? detail.documents
        : await entityTextsOf(proposals, detail)
  const view = {
    detail,
    since: since?.version ?? null,
    mergedAs: mergedAs(builds.history, detail.proposal),
    comparison: await comparisons.compare(
      builds,
      [before, after],
      since === null ? detail.changes : null,
    ),
    conflicts: await conflictsOf(context, detail, choicesIn(sent)),
    typed: (field: string) => textField(sent, field) ?? '',
    problems: fieldProblems(refusal),
    ...pages.openWithMessage(c, refusal),
  }
  return pageResponse(<ProposalView {...view} />, refusal?.status)
}

function mergedAs(history: History, { merged }: Proposal): number | null {
  const revision = merged && history.findCommit(merged.commit)
  return revision && history.numberOf(revision)
}

/** The choices at conflicts as far as they were made; null for a proposal that has none. */
async function conflictsOf(
  context: LeaderPagesContext,
  { proposal, conflicts }: ProposalDetail,
  choices: ReturnType<typeof choicesIn>,
) {
  if (conflicts.length === 0) return null
  const { current, places } = await readConflicts(context, proposal)
  return { current: numbered(context.builds.history, current), places, choices }
}

/** The name of each action in the audit log, and the message after it. */
const ACTIONS = {
  approve: ['approve', 'approved'],
  reject: ['reject', 'rejected'],
  'take-back': ['reject', 'review-taken-back'],
  comment: ['comment-proposal', 'commented'],
  solve: ['update-proposal', 'proposal-updated'],
  merge: ['merge-proposal', 'merged'],
  close: ['close-proposal', 'closed'],
} as const satisfies Record<string, readonly [audited: string, says: FlashKind]>

async function act(
  context: LeaderPagesContext,
  c: ProposalPageContext,
  { fields, form }: SentForm<typeof Fields>,
): Promise<FormDone> {
  const { pages, proposals } = context
  const { principal } = c.env
  const number = numberOf(c)
  const text = checkedMessage(fields.text, 'text')
  const { action } = fields
  const version = parseWholeNumber(fields.version, 'version') || null
  if (action === 'comment' && text === '') throw malformed('The comment is empty', 'text')
  const [audited, says] = ACTIONS[action]
  c.env.auditActions = [{ action: audited, target: `/api/proposals/${number}` }]
  switch (action) {
    case 'approve':
    case 'reject':
      await reviewProposal(proposals, principal, number, { decision: action, version, text })
      break
    case 'take-back':
      await takeReviewBack(proposals, principal, number)
      break
    case 'comment':
      await commentOnProposal(proposals, principal, number, { text, ...placeIn(fields) })
      break
    case 'solve': {
      const against = parseDigest(fields.against, 'against')
      const choices = choicesIn(form)
      await solveConflicts(context, principal, number, { version, against, choices })
      break
    }
    case 'merge':
      await mergeProposal(proposals, principal, number, { message: text, version })
      break
    case 'close':
      await closeProposal(proposals, principal, number, text)
  }
  return { says: [says, `${number}`], to: (flash) => pages.links.proposal(number, flash) }
}

/** The entity or the line that a comment is about. */
function placeIn({ entity, line }: z.infer<typeof Fields>) {
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
