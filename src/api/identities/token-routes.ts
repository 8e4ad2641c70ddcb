import { z } from 'zod'
import type { TokenRecord } from '../../identities/issued-record.ts'
import { createToken, listTokens, type NewToken, revokeToken } from '../../identities/tokens.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import { json } from '../../http/errors.ts'
import { parseIsoTime } from '../../http/parameters.ts'
import { readJson } from '../../http/request-body.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { jsonAnswer, jsonBody } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'
import { MadeTokenBody, NewTokenBody, TokenEntry } from '../../wire/identity-bodies.ts'

const MAX_BODY_BYTES = 16_384

const route = routeWith<ApiContext['identities']>('Identities')

/** `/api/tokens`: what programs log in with instead of a password. */
export const tokenResource = resource({
  conditional: true,
  open: ({ identities }: ApiContext) => identities,
  routes: [
    route({
      method: 'POST',
      path: '/api/tokens',
      summary:
        'Creates a token for the caller, who has logged in with a password; it is shown once',
      caller: 'user',
      audit: 'create-token',
      body: jsonBody(NewTokenBody),
      answers: { 200: jsonAnswer('The token', MadeTokenBody) },
      errors: ['malformed-request', 'body-too-large', 'not-permitted', 'too-many-tokens'],
      example: {
        body: { name: 'nightly report', scope: 'read', expires: '2099-12-31T00:00:00Z' },
      },
      handle: async (c, deps) => {
        const wanted = newTokenOf(await readJson(c.req.raw, MAX_BODY_BYTES, NewTokenBody))
        const made = await createToken(deps, c.env.principal, wanted)
        c.env.auditActions = [{ action: 'create-token', target: `/api/tokens/${made.id}` }]
        return json(made satisfies MadeTokenBody)
      },
    }),
    route({
      method: 'GET',
      path: '/api/tokens',
      summary: 'The tokens of the caller, oldest first; those of another user to administrators',
      caller: 'user',
      query: { user: { text: 'Those of this user', schema: z.string() } },
      answers: { 200: jsonAnswer('Tokens, without the secret part', z.array(TokenEntry)) },
      errors: ['not-permitted'],
      handle: async (c, deps) => {
        const tokens = await listTokens(deps, c.env.principal, c.req.query('user'))
        return json(tokens.map(entryOf))
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/tokens/:id',
      summary: 'Revokes a token of the caller; administrators may revoke any',
      caller: 'user',
      audit: 'revoke-token',
      parameters: {
        id: { text: 'As in the list', schema: z.string().min(1), example: SAMPLE.token },
      },
      answers: { 200: jsonAnswer('Revoked', MessageBody) },
      errors: ['token-not-found'],
      example: { answer: { message: 'The token nightly report is revoked' } },
      handle: async (c, deps) => {
        const { name } = await revokeToken(deps, c.env.principal, c.req.param('id'))
        return json({ message: `The token ${name} is revoked` })
      },
    }),
  ],
})

function newTokenOf({ name, scope, expires = null }: NewTokenBody): NewToken {
  return { name, scope, expires: expires === null ? null : parseIsoTime(expires, 'expires') }
}

function entryOf({ id, name, owner, scope, created, expires, lastUsed }: TokenRecord): TokenEntry {
  return {
    id,
    name,
    user: owner.name,
    scope,
    created: new Date(created).toISOString(),
    expires: timeOrNull(expires),
    lastUsed: timeOrNull(lastUsed),
  }
}

function timeOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
