import type { Context } from 'hono'
import { z } from 'zod'
import {
  closeProposal,
  commentOnProposal,
  reviewProposal,
  takeReviewBack,
} from '../../proposals/review.ts'
import { afterAct, mergedBy, mergeProposal } from '../../proposals/merge-proposal.ts'
import { listProposals, readProposal } from '../../proposals/read-proposals.ts'
import { propose, updateProposal } from '../../proposals/propose.ts'
import { parseOffset } from '../../core/page.ts'
import { PROPOSAL_STATES } from '../../proposals/proposal.ts'
import type { MergeTime } from '../../proposals/proposal-event.ts'
import { json } from '../../http/errors.ts'
import { checkedMessage } from '../../http/change-message.ts'
import { malformed, parseIsoTime, parseWholeNumber, parseWord } from '../../http/parameters.ts'
import { readJson } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import {
  CloseBody,
  CommentBody,
  MergeBody,
  NewProposalBody,
  ProposalBody,
  ProposalEntry,
  ProposalUpdateBody,
  ReviewBody,
} from '../../wire/proposal-body.ts'
import { digestHeaders, DIGEST_DESCRIBED } from '../configuration/digest-header.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { jsonAnswer, jsonBody, type Operation, reads } from '../definition/operation.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE_PROPOSED } from '../definition/sample.ts'
import {
  proposedContent,
  renderProposal,
  renderProposalDetail,
} from '../configuration/proposal-bodies.ts'

/** The largest body of a review or a comment, in bytes. */
const MAX_WORDS_BYTES = 65_536

const route = routeWith<LeaderContext>('Proposals')

const NUMBER = {
  number: { text: 'The number of the proposal', schema: z.string(), example: '7' },
} as const satisfies Operation['parameters']

const DETAIL = { 200: jsonAnswer('The proposal', ProposalBody) }

/** The refusals of what is done with a proposal. */
const REVIEW_ERRORS = [
  'body-too-large',
  'proposal-not-found',
  'proposal-not-open',
  'proposal-outdated',
  'config-invalid',
  'not-permitted',
] as const

/** A call that acts on one proposal, and answers it as it is then. */
const acts = {
  method: 'POST',
  caller: 'user',
  scope: 'operate',
  parameters: NUMBER,
  answers: DETAIL,
} as const

/** `/api/proposals…`: changes that others approve before they are saved. */
export const proposalResource = leaderResource({
  conditional: true,
  open: (context: LeaderContext) => context,
  routes: [
    route({
      method: 'POST',
      path: '/api/proposals',
      summary: 'Proposes a change, as a whole document or as entities',
      caller: 'viewer',
      audit: 'propose',
      scope: 'propose',
      tools: [
        {
          name: 'propose',
          about:
            'Proposes a change, as a whole document or as entities, which people approve. Saves nothing.',
        },
      ],
      body: jsonBody(NewProposalBody),
      answers: { 201: jsonAnswer('The proposal', ProposalBody, { Location: 'Its address' }) },
      errors: [
        'malformed-request',
        'body-too-large',
        'config-invalid',
        'entity-not-found',
        'snapshot-not-found',
      ],
      example: { body: { title: 'Label builds of hello', entities: [SAMPLE_PROPOSED] } },
      handle: async (c, context) => {
        const request = await readJson(c.req.raw, context.site.maxBody, NewProposalBody)
        const { title, message = '', when = null, base = null } = request
        const { number } = await propose(context.proposals, c.env.principal, {
          title: titleOf(title),
          message: checkedMessage(message, 'message'),
          when: parseWhen(when),
          content: proposedContent(request),
          base,
        })
        c.env.auditActions = [{ action: 'propose', target: `/api/proposals/${number}` }]
        const answer = await detailAfter(c, context, {
          number,
          done: `The proposal ${number} is made`,
        })
        return json(answer, 201, { location: `${context.site.basePath}/api/proposals/${number}` })
      },
    }),
    route({
      method: 'GET',
      path: '/api/proposals',
      summary: 'The proposals whose entities the caller may view, newest first',
      tools: [{ name: 'proposals' }],
      caller: 'user',
      query: {
        state: { text: 'Only those in this state', schema: z.enum(PROPOSAL_STATES) },
        'waiting-for': {
          text: '`me`: only those that the caller can approve and has not',
          schema: z.literal('me'),
        },
        offset: { text: 'Proposals to skip', schema: z.int().min(0) },
        limit: { text: 'Proposals at most; all when absent', schema: z.int().min(0) },
      },
      answers: reads('Proposals', z.array(ProposalEntry)),
      errors: ['malformed-request'],
      example: { query: { state: 'open' } },
      handle: async (c, { proposals }) => {
        const { state, 'waiting-for': waitingFor, offset = '0', limit } = c.req.query()
        const first = parseOffset(offset)
        const found = await listProposals(proposals, c.env.principal, {
          state: state === undefined ? null : parseWord(state, 'state', PROPOSAL_STATES),
          isWaitingForCaller: parseWaiting(waitingFor),
          limit: limit === undefined ? null : first + parseWholeNumber(limit, 'limit'),
        })
        return json(found.slice(first).map(renderProposal))
      },
    }),
    route({
      method: 'GET',
      path: '/api/proposals/:number',
      summary: 'One proposal with its changes, plan, verdict, versions, reviews and comments',
      tools: [{ name: 'proposal' }],
      caller: 'user',
      parameters: NUMBER,
      answers: reads('The proposal', ProposalBody),
      errors: ['malformed-request', 'proposal-not-found'],
      handle: async (c, context) => json(await detailOf(c, context, numberOf(c))),
    }),
    route({
      ...acts,
      path: '/api/proposals/:number/approve',
      summary: 'Approves the newest version; tokens cannot',
      audit: 'approve',
      body: jsonBody(ReviewBody, { required: false }),
      errors: ['malformed-request', ...REVIEW_ERRORS],
      example: { body: { version: 1, text: 'Looks good' } },
      handle: (c, context) => review(c, context, 'approve'),
    }),
    route({
      ...acts,
      path: '/api/proposals/:number/reject',
      summary: 'Rejects the newest version, or withdraws the review of the caller; tokens cannot',
      audit: 'reject',
      body: jsonBody(ReviewBody, { required: false }),
      errors: ['malformed-request', ...REVIEW_ERRORS],
      example: { body: { version: 1, text: 'The label says too little' } },
      handle: (c, context) => review(c, context, 'reject'),
    }),
    route({
      ...acts,
      path: '/api/proposals/:number/comment',
      summary: 'Comments on a proposal, one of its entities, or a line; tokens cannot',
      audit: 'comment-proposal',
      body: jsonBody(CommentBody),
      errors: ['malformed-request', 'body-too-large', 'proposal-not-found', 'not-permitted'],
      example: { body: { text: 'Why this label?', entity: 'pipeline/hello' } },
      handle: async (c, context) => {
        const { text, entity = null, line = null } = await readWords(c, CommentBody)
        const comment = { text: checkedMessage(text, 'text'), entity, line }
        const number = numberOf(c)
        await commentOnProposal(context.proposals, c.env.principal, number, comment)
        const done = `The comment on the proposal ${number} is made`
        return json(await detailAfter(c, context, { number, done }))
      },
    }),
    route({
      ...acts,
      scope: 'propose',
      path: '/api/proposals/:number/update',
      summary: 'Replaces the content of a proposal, as its next version',
      audit: 'update-proposal',
      body: jsonBody(ProposalUpdateBody),
      errors: [...REVIEW_ERRORS, 'malformed-request', 'entity-not-found', 'snapshot-not-found'],
      example: { body: { entities: [SAMPLE_PROPOSED] } },
      handle: async (c, context) => {
        const request = await readJson(c.req.raw, context.site.maxBody, ProposalUpdateBody)
        const { title, message, when, base = null } = request
        const number = numberOf(c)
        await updateProposal(context.proposals, c.env.principal, number, {
          content: proposedContent(request),
          base,
          ...(title === undefined ? {} : { title: titleOf(title) }),
          ...(message === undefined ? {} : { message: checkedMessage(message, 'message') }),
          ...(when === undefined ? {} : { when: parseWhen(when) }),
        })
        const done = `The proposal ${number} is updated`
        return json(await detailAfter(c, context, { number, done }))
      },
    }),
    route({
      ...acts,
      path: '/api/proposals/:number/merge',
      summary: 'Merges a proposal: a save in the name of its author',
      audit: 'merge-proposal',
      scope: 'admin',
      body: jsonBody(MergeBody, { required: false }),
      answers: { 200: jsonAnswer('The proposal', ProposalBody, DIGEST_DESCRIBED) },
      errors: ['malformed-request', ...REVIEW_ERRORS],
      handle: async (c, context) => {
        const { message = '', version = null } = await readWords(c, MergeBody)
        const request = { message: checkedMessage(message, 'message'), version }
        const { proposals, site } = context
        const number = numberOf(c)
        const { saved } = await mergeProposal(proposals, c.env.principal, number, request)
        const headers = digestHeaders(saved.revision.digest, site.clientNames)
        const done = mergedBy(number, saved)
        const detail = await detailAfter(c, context, { number, done })
        return json(detail, 200, headers)
      },
    }),
    route({
      ...acts,
      path: '/api/proposals/:number/close',
      summary: 'Closes a proposal without merging it, by its author or an administrator',
      audit: 'close-proposal',
      body: jsonBody(CloseBody, { required: false }),
      errors: ['malformed-request', ...REVIEW_ERRORS],
      example: { body: { text: 'Not needed any more' } },
      handle: async (c, context) => {
        const { text = '' } = await readWords(c, CloseBody)
        const reason = checkedMessage(text, 'text')
        const number = numberOf(c)
        await closeProposal(context.proposals, c.env.principal, number, reason)
        const done = `The proposal ${number} is closed`
        return json(await detailAfter(c, context, { number, done }))
      },
    }),
  ],
})

async function review(
  c: Context<RouteEnv>,
  context: LeaderContext,
  decision: 'approve' | 'reject',
): Promise<Response> {
  const { version = null, text = '', takeBack = false } = await readWords(c, ReviewBody)
  const { proposals } = context
  const { principal } = c.env
  const number = numberOf(c)
  if (takeBack) await takeReviewBack(proposals, principal, number)
  else {
    const reviewed = { decision, version, text: checkedMessage(text, 'text') }
    await reviewProposal(proposals, principal, number, reviewed)
  }
  const act = takeBack ? 'withdrawn' : 'made'
  const done = `The review of the proposal ${number} is ${act}`
  return json(await detailAfter(c, context, { number, done }))
}

async function detailOf(
  c: Context<RouteEnv>,
  { proposals }: LeaderContext,
  number: number,
): Promise<ProposalBody> {
  return renderProposalDetail(await readProposal(proposals, c.env.principal, number))
}

/** The proposal after an act, which the answer says even where the proposal cannot be read now. */
function detailAfter(
  c: Context<RouteEnv>,
  context: LeaderContext,
  { number, done }: { readonly number: number; readonly done: string },
): Promise<ProposalBody> {
  return afterAct(done, () => detailOf(c, context, number))
}

function numberOf(c: Context<RouteEnv>): number {
  return parseWholeNumber(c.req.param('number') ?? '', 'number')
}

function readWords<Schema extends z.ZodType>(c: Context<RouteEnv>, schema: Schema) {
  return readJson(c.req.raw, MAX_WORDS_BYTES, schema)
}

/** One line, as the subject of a commit. */
function titleOf(text: string): string {
  const title = checkedMessage(text, 'title')
  if (title !== '' && !title.includes('\n')) return title
  throw malformed('The title is one line of text', 'title')
}

function parseWhen(when: string | null): MergeTime {
  return when === null || when === 'approved' ? when : parseIsoTime(when, 'when')
}

function parseWaiting(text: string | undefined): boolean {
  if (text === undefined || text === 'me') return text === 'me'
  throw malformed(`waiting-for is "${text}"; it may be "me"`, 'waiting-for')
}
