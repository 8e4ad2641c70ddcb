import type { Context } from 'hono'
import { z } from 'zod'
import { UserSource, type Principal, sourceOf } from '../../core/principal.ts'
import {
  createUser,
  deleteUser,
  disableAccount,
  enableAccount,
  type ListedUser,
  listUsers,
  type NamedUser,
  resetPassword,
} from '../../identities/administer-users.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import {
  NewPasswordBody,
  NewUserBody,
  UserCredentialsBody,
  UserEntry,
  PermissionsBody,
  WhoAmIBody,
} from '../../wire/identity-bodies.ts'
import { json } from '../../http/errors.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { malformed } from '../../http/parameters.ts'
import { readJson } from '../../http/request-body.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { jsonAnswer, jsonBody, type Operation } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { explainUser, readOwnRights } from '../../configuration/access/explain.ts'

const MAX_BODY_BYTES = 16_384

const route = routeWith<ApiContext['identities']>('Identities')

const NAME: Operation['parameters'] = {
  name: { text: 'The user', schema: z.string().min(1), example: 'ana' },
}
const SOURCE = {
  source: { text: 'The source of the user, where several have the name', schema: UserSource },
} as const

/** The change of one user. */
const accountRoute = {
  caller: 'administrator',
  parameters: NAME,
  query: SOURCE,
} as const

/** `/api/users…`: the users of this server, for administrators. */
export const userResource = resource({
  conditional: true,
  open: ({ identities }: ApiContext) => identities,
  routes: [
    route({
      method: 'GET',
      path: '/api/users',
      summary:
        'The users of the users file, and those of other sources who have a session or a token',
      caller: 'administrator',
      answers: { 200: jsonAnswer('Users by name', z.array(UserEntry)) },
      handle: async (c, deps) => json((await listUsers(deps, c.env.principal)).map(entryOf)),
    }),
    route({
      method: 'POST',
      path: '/api/users',
      summary: 'Adds a user; without a password, generates one and shows it once',
      caller: 'administrator',
      audit: 'create-user',
      body: jsonBody(NewUserBody),
      answers: { 200: jsonAnswer('The user', UserCredentialsBody) },
      errors: ['malformed-request', 'body-too-large', 'name-in-use'],
      example: { body: { name: 'ana' } },
      handle: async (c, deps) => {
        const { name, password = null } = await readJson(c.req.raw, MAX_BODY_BYTES, NewUserBody)
        const made = await createUser(deps, c.env.principal, { name, password })
        c.env.auditActions = [{ action: 'create-user', target: userTarget(made.name) }]
        return json(made satisfies UserCredentialsBody)
      },
    }),
    route({
      ...accountRoute,
      method: 'PUT',
      path: '/api/users/:name/password',
      summary:
        'Resets the password of a user, which ends the sessions; generates one if none is given',
      audit: 'reset-password',
      body: jsonBody(NewPasswordBody),
      answers: { 200: jsonAnswer('The user', UserCredentialsBody) },
      errors: ['malformed-request', 'body-too-large', 'user-not-found'],
      example: { body: {} },
      handle: async (c, deps) => {
        const { password = null } = await readJson(c.req.raw, MAX_BODY_BYTES, NewPasswordBody)
        const wanted = { ...namedIn(c), password }
        const made = await resetPassword(deps, c.env.principal, wanted)
        return json(made satisfies UserCredentialsBody)
      },
    }),
    route({
      ...accountRoute,
      method: 'POST',
      path: '/api/users/:name/disable',
      summary: 'Disables a user of any source: ends sessions, rejects password and tokens',
      audit: 'disable-user',
      answers: { 200: jsonAnswer('Disabled', MessageBody) },
      errors: ['malformed-request', 'user-not-found', 'last-administrator'],
      example: { answer: { message: 'The user ana is disabled' } },
      handle: async (c, deps) => {
        const name = await disableAccount(deps, c.env.principal, namedIn(c))
        return json({ message: `The user ${name} is disabled` })
      },
    }),
    route({
      ...accountRoute,
      method: 'POST',
      path: '/api/users/:name/enable',
      summary: 'Enables a disabled user, with the same password and tokens',
      audit: 'enable-user',
      answers: { 200: jsonAnswer('Enabled', MessageBody) },
      errors: ['malformed-request', 'user-not-found'],
      example: { answer: { message: 'The user ana is enabled' } },
      handle: async (c, deps) => {
        const name = await enableAccount(deps, c.env.principal, namedIn(c))
        return json({ message: `The user ${name} is enabled` })
      },
    }),
    route({
      ...accountRoute,
      method: 'DELETE',
      path: '/api/users/:name',
      summary:
        'Removes a user, with sessions, tokens and invitations; one of another source may log in again',
      audit: 'delete-user',
      answers: { 200: jsonAnswer('Removed', MessageBody) },
      errors: ['malformed-request', 'user-not-found', 'last-administrator'],
      example: { answer: { message: 'The user ana is removed' } },
      handle: async (c, deps) => {
        const name = await deleteUser(deps, c.env.principal, namedIn(c))
        return json({ message: `The user ${name} is removed` })
      },
    }),
  ],
})

/** The target of an entry of the audit log about a user. */
export function userTarget(name: string): string {
  return `/api/users/${encodeURIComponent(name)}`
}

/** The user that an address means. */
export function namedIn(c: Context<RouteEnv, '/:name'>): NamedUser {
  const given = c.req.query('source')
  const source = UserSource.optional().safeParse(given)
  if (!source.success) throw malformed(`"${given}" is not a source of users`, 'source')
  return { name: c.req.param('name'), source: source.data }
}

function entryOf({ lastUsed, roles, known: _known, ...user }: ListedUser): UserEntry {
  const time = lastUsed === null ? null : new Date(lastUsed).toISOString()
  return { ...user, roles: [...roles], lastUsed: time }
}

const callerRoute = routeWith<ApiContext['configuration']>('Identities')

/** `/api/whoami` and `/api/permissions`: who a caller is, and who may do what. */
export const callerResource = resource({
  conditional: true,
  open: ({ configuration }: ApiContext) => configuration,
  routes: [
    callerRoute({
      method: 'GET',
      path: '/api/whoami',
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
    callerRoute({
      method: 'GET',
      path: '/api/permissions',
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
