import type { Context } from 'hono'
import { z } from 'zod'
import { inviteAgent, listInvitations, revokeInvitation } from '../../identities/invitations.ts'
import { createdInvitation } from '../../api/identities/invitation-routes.ts'
import type { AgentNames } from '../../document/agents/agent-edits.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { FormDone } from '../frame/form-action.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { fieldProblems, type Refusal } from '../runs/refusal.ts'
import { NO_NAMES } from './act-on-agents.ts'
import { namesIn } from './agents-routes.tsx'
import { InvitationsView, USUAL_HOURS } from './invitations-view.tsx'

const HOUR_MS = 60 * 60 * 1_000

const InvitationAction = z.object({
  action: z.enum(['create', 'revoke']),
  hours: z.string().default(''),
  invitation: z.string().default(''),
})

const { get, formAt } = routesWith<LeaderPagesContext>()

/** `/agent-invitations`: administrators invite agents here. */
export const invitationsPages = defineLeaderPage([
  get('/agent-invitations', answer),
  formAt('/agent-invitations', {
    fields: InvitationAction,
    act: (context, c, { fields, form }) =>
      fields.action === 'create'
        ? create(context, c, { hours: fields.hours, names: namesIn(form) })
        : revoke(context, c, fields.invitation),
    refused: (context, c, refusal, form) => {
      const hours = Number(textField(form, 'hours') ?? '')
      return answer(context, c, { refusal, names: namesIn(form), hours })
    },
  }),
])

/** The page itself has the invitation: no address and no cookie ever does. */
async function create(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  { hours, names }: { readonly hours: string; readonly names: AgentNames },
): Promise<Response> {
  const expires = context.clock() + parseWholeNumber(hours, 'hours') * HOUR_MS
  const wanted = { ...names, expires }
  const { id, invitation } = await inviteAgent(context.identities, c.env.principal, wanted)
  c.env.auditActions = [createdInvitation(id)]
  return answer(context, c, { made: commandFor(context, c, invitation) })
}

async function revoke(
  { identities, pages }: LeaderPagesContext,
  c: Context<RouteEnv>,
  id: string,
): Promise<FormDone> {
  await revokeInvitation(identities, c.env.principal, id)
  return {
    says: ['invitation-revoked', id],
    to: (flash) => pages.links.invitations(flash),
    audited: { action: 'revoke-invitation', target: `/api/agent-invitations/${id}` },
  }
}

/** The command to run on the agent's machine. */
function commandFor(
  { pages }: LeaderPagesContext,
  c: Context<RouteEnv>,
  invitation: string,
): string {
  const server = pages.serverAddress(c.req.raw)
  return `cairn agent --server ${server} --work-dir cairn-agent --invitation ${invitation}`
}

interface Answered {
  /** The command with the invitation that was made by this request. */
  readonly made?: string
  readonly refusal?: Refusal
  /** The fields of a refused invitation. */
  readonly names?: AgentNames
  readonly hours?: number
}

async function answer(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  { made, refusal, names = NO_NAMES, hours = USUAL_HOURS }: Answered = {},
): Promise<Response> {
  const { pages, identities } = context
  const { environments } = identities.configuration.read().configuration
  const view = {
    invitations: await listInvitations(identities, c.env.principal),
    ...pages.openWithMessage(c, refusal),
    made: made ?? null,
    names,
    hours,
    problems: fieldProblems(refusal),
    environments: environments.map(({ name }) => name),
  }
  return pageResponse(<InvitationsView {...view} />, refusal?.status, NO_STORE)
}
