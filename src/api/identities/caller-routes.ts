import { z } from 'zod'
import { type Principal, sourceOf } from '../../core/principal.ts'
import { explainUser, readOwnRights } from '../../configuration/access/explain.ts'
import { PermissionsBody, WhoAmIBody } from '../../wire/caller-body.ts'
import { json } from '../../http/errors.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { jsonAnswer } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'

const tag = 'Identities'
const route = routeWith<ApiContext['configuration']>()

/** `/api/whoami` and `/api/permissions`: who a caller is, and who may do what. */
export const callerResource = resource({
  conditional: true,
  open: ({ configuration }: ApiContext) => configuration,
  routes: [
    route({
      method: 'GET',
      path: '/api/whoami',
      tag,
      summary: 'The caller, and the credential of the call',
      caller: 'user',
      answers: { 200: jsonAnswer('The caller', WhoAmIBody) },
      handle: (c, deps) => {
        const { principal } = c.env
        const credential = credentialOf(principal)
        const source = sourceOf(principal)
        return json({ ...readOwnRights(deps, principal), source, credential } satisfies WhoAmIBody)
      },
    }),
    route({
      method: 'GET',
      path: '/api/permissions',
      tag,
      summary: 'The permissions of a user, and the entries of the configuration that grant them',
      caller: 'administrator',
      query: { user: { text: 'The user; the caller when absent', schema: z.string() } },
      answers: { 200: jsonAnswer('Permissions in the words of a plan', PermissionsBody) },
      errors: ['user-not-found'],
      handle: (c, deps) =>
        json(explainUser(deps, c.env.principal, c.req.query('user')) satisfies PermissionsBody),
    }),
  ],
})

function credentialOf({ credential }: Principal): WhoAmIBody['credential'] {
  if (credential === undefined) return { kind: 'password', scope: 'admin' }
  return credential.kind === 'token' ? credential : { ...credential, scope: 'admin' }
}
