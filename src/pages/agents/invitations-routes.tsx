import type { Context } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import { inviteAgent, listInvitations, revokeInvitation } from '../../identities/invitations.ts'
import { createdInvitation } from '../../api/identities/invitation-routes.ts'
import type { AgentNames } from '../../document/agents/agent-edits.ts'
import { statusOf } from '../../http/errors.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import { type Form, readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { defineLeaderPage, pageWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { NO_NAMES } from './act-on-agents.ts'
import { namesIn } from './agents-routes.tsx'
import { InvitationsView } from './invitations-view.tsx'

const MAX_FORM_BYTES = 65_536
const HOUR_MS = 60 * 60 * 1_000

const route = pageWith<LeaderPagesContext>()

/** `/agent-invitations`: administrators invite agents here. */
export const invitationsPages = defineLeaderPage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path: '/agent-invitations',
      handle: (c, context) => answer(context, c, {}),
    }),
    route({
      method: 'POST',
      path: '/agent-invitations',
      handle: async (c, context) => {
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        const action = textField(form, 'action') ?? ''
        if (action === 'create') return create(context, c, form)
        if (action === 'revoke') return revoke(context, c, textField(form, 'invitation') ?? '')
        throw malformed('action is neither create nor revoke', 'action')
      },
    }),
  ],
})

/** The page itself has the invitation: no address and no cookie ever does. */
async function create(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  form: Form,
): Promise<Response> {
  const names = namesIn(form)
  try {
    const hours = parseWholeNumber(textField(form, 'hours') ?? '', 'hours')
    const wanted = { ...names, expires: context.clock() + hours * HOUR_MS }
    const { id, invitation } = await inviteAgent(context.identities, c.env.principal, wanted)
    c.env.auditActions = [createdInvitation(id)]
    return await answer(context, c, { made: commandFor(context, c, invitation) })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'not-permitted') throw error
    c.env.reason = error.code
    return answer(context, c, { problem: `${error.message}.`, status: statusOf(error), names })
  }
}

async function revoke(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  id: string,
): Promise<Response> {
  const { principal } = c.env
  await revokeInvitation(context.identities, principal, id)
  const target = `/api/agent-invitations/${id}`
  c.env.auditActions = [{ action: 'revoke-invitation', target }]
  const flash = context.pages.flash.query(principal, 'invitation-revoked', id)
  return c.redirect(context.pages.links.invitations(flash), 303)
}

/** The command to run on the agent's machine. */
function commandFor(
  { pages }: LeaderPagesContext,
  c: Context<RouteEnv>,
  invitation: string,
): string {
  const server = `${pages.originOf(c.req.raw)}${pages.links.root()}`.replace(/\/$/, '')
  return `cairn agent --server ${server} --work-dir cairn-agent --invitation ${invitation}`
}

interface Answered {
  /** The command with the invitation that was made by this request. */
  readonly made?: string
  readonly problem?: string
  readonly status?: number
  /** The fields of a refused invitation. */
  readonly names?: AgentNames
}

async function answer(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  { made, problem, status = 200, names = NO_NAMES }: Answered,
): Promise<Response> {
  const { pages, clock, identities } = context
  const { environments } = identities.configuration.read().configuration
  const view = {
    invitations: await listInvitations(identities, c.env.principal),
    frame: pages.frame(c.req.raw, c.env.principal),
    flash: problem === undefined ? pages.flash.take(c) : { isDone: false, text: problem },
    made: made ?? null,
    names,
    environments: environments.map(({ name }) => name),
    now: clock(),
  }
  return pageResponse(<InvitationsView {...view} />, status, NO_STORE)
}
