import { z } from 'zod'
import {
  DEFAULT_LIFETIME_MS,
  inviteAgent,
  listInvitations,
  type NewInvitation,
  revokeInvitation,
} from '../../identities/invitations.ts'
import type { InvitationRecord } from '../../identities/issued-record.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import { json } from '../../http/errors.ts'
import { wellFormed, parseIsoTime } from '../../http/parameters.ts'
import { parseJson, readBody } from '../../http/request-body.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { jsonAnswer, jsonBody } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'
import {
  InvitationEntry,
  MadeInvitationBody,
  NewInvitationBody,
} from '../../wire/identity-bodies.ts'

const MAX_BODY_BYTES = 65_536

const route = routeWith<ApiContext>('Agents')

/** `/api/agent-invitations`: what lets an agent in without approval, once. */
export const invitationResource = resource({
  conditional: true,
  open: (context: ApiContext) => context,
  routes: [
    route({
      method: 'POST',
      path: '/api/agent-invitations',
      summary: 'Creates an invitation, which registers and approves one agent; it is shown once',
      caller: 'administrator',
      scope: 'admin',
      audit: 'create-invitation',
      body: jsonBody(NewInvitationBody),
      answers: { 200: jsonAnswer('The invitation', MadeInvitationBody) },
      errors: ['malformed-request', 'body-too-large', 'too-many-invitations'],
      example: { body: { resources: ['linux'] } },
      handle: async (c, { identities, clock }) => {
        const body = await readBody(c.req.raw, MAX_BODY_BYTES)
        const made = await inviteAgent(identities, c.env.principal, parseNew(body, clock()))
        c.env.auditActions = [createdInvitation(made.id)]
        return json(made satisfies MadeInvitationBody)
      },
    }),
    route({
      method: 'GET',
      path: '/api/agent-invitations',
      summary: 'The open invitations, oldest first',
      caller: 'administrator',
      answers: {
        200: jsonAnswer('Invitations, without the secret part', z.array(InvitationEntry)),
      },
      handle: async (c, { identities }) =>
        json((await listInvitations(identities, c.env.principal)).map(entryOf)),
    }),
    route({
      method: 'DELETE',
      path: '/api/agent-invitations/:id',
      summary: 'Revokes an invitation',
      caller: 'administrator',
      scope: 'admin',
      audit: 'revoke-invitation',
      parameters: {
        id: { text: 'As in the list', schema: z.string().min(1), example: SAMPLE.token },
      },
      answers: { 200: jsonAnswer('Revoked', MessageBody) },
      errors: ['invitation-not-found'],
      example: { answer: { message: `The invitation ${SAMPLE.token} is revoked` } },
      handle: async (c, { identities }) => {
        const { id } = await revokeInvitation(identities, c.env.principal, c.req.param('id'))
        return json({ message: `The invitation ${id} is revoked` })
      },
    }),
  ],
})

/** The entry of the audit log for a new invitation. */
export function createdInvitation(id: string) {
  return { action: 'create-invitation', target: `/api/agent-invitations/${id}` }
}

function parseNew(body: Uint8Array, now: number): NewInvitation {
  const given = parseJson(Buffer.from(body).toString('utf8'))
  const { resources = [], environments = [], expires } = wellFormed(NewInvitationBody, given)
  const until = expires === undefined ? now + DEFAULT_LIFETIME_MS : parseIsoTime(expires, 'expires')
  return { resources, environments, expires: until }
}

function entryOf(record: InvitationRecord): InvitationEntry {
  const { id, maker, resources, environments, created, expires } = record
  return {
    id,
    user: maker,
    resources: [...resources],
    environments: [...environments],
    created: new Date(created).toISOString(),
    expires: new Date(expires).toISOString(),
  }
}
