import type { Context } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors.ts'
import { isSameName } from '../../core/name-key.ts'
import { itemsAt, parseOffset } from '../../core/page.ts'
import {
  createUser,
  deleteUser,
  disableAccount,
  enableAccount,
  listUsers,
  type NewCredentials,
  resetPassword,
} from '../../identities/administer-users.ts'
import { listTokens, revokeToken } from '../../identities/tokens.ts'
import { namedIn, userTarget } from '../../api/identities/user-routes.ts'
import { textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { Query } from '../kit/links.ts'
import type { FormDone, SentForm } from '../frame/form-action.ts'
import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { readPermissionsOf } from '../permissions/permissions-page.ts'
import { fieldProblems, type Refusal } from '../runs/refusal.ts'
import { newPasswordIn } from './new-password.ts'
import { UserView } from './user-view.tsx'
import { USER_ROWS, UsersView } from './users-view.tsx'

const NewUser = z.object({ name: z.string().default('') })

const UserAction = z.object({
  action: z.enum(['disable', 'enable', 'password', 'delete', 'revoke']),
  token: z.string().default(''),
})

const { get, formAt } = routesWith<PagesContext>()

/** `/users` and `/users/[name]`: who can log in, for administrators. */
export const usersPages = definePage([
  get('/users', answerList),
  formAt('/users', {
    fields: NewUser,
    act: async (context, c, { fields: { name }, form }) => {
      const wanted = { name, password: newPasswordIn(form) }
      const made = await createUser(context.identities, c.env.principal, wanted)
      c.env.auditActions = [{ action: 'create-user', target: userTarget(made.name) }]
      return answerList(context, c, { made })
    },
    refused: (context, c, refusal, form) =>
      answerList(context, c, { refusal, name: textField(form, 'name') ?? '' }),
    explains: ['not-permitted'],
  }),
  get('/users/:name', answerOne),
  formAt('/users/:name', {
    fields: UserAction,
    act,
    refused: (context, c, refusal) => answerOne(context, c, { refusal }),
    explains: ['not-permitted'],
  }),
])

async function act(
  context: PagesContext,
  c: Context<RouteEnv, '/users/:name'>,
  { fields, form }: SentForm<typeof UserAction>,
): Promise<FormDone | Response> {
  const { identities, pages } = context
  const { principal } = c.env
  const named = namedIn(c)
  const toUser = (name: string) => (flash: Query) =>
    pages.links.user(name, { source: named.source ?? null, ...flash })
  switch (fields.action) {
    case 'disable': {
      const name = await disableAccount(identities, principal, named)
      const audited = { action: 'disable-user', target: userTarget(name) }
      return { says: ['user-disabled', name], to: toUser(name), audited }
    }
    case 'enable': {
      const name = await enableAccount(identities, principal, named)
      const audited = { action: 'enable-user', target: userTarget(name) }
      return { says: ['user-enabled', name], to: toUser(name), audited }
    }
    case 'password': {
      const wanted = { ...named, password: newPasswordIn(form) }
      const made = await resetPassword(identities, principal, wanted)
      c.env.auditActions = [{ action: 'reset-password', target: userTarget(made.name) }]
      return answerOne(context, c, { made })
    }
    case 'delete': {
      const name = await deleteUser(identities, principal, named)
      const audited = { action: 'delete-user', target: userTarget(name) }
      return { says: ['user-removed', name], to: (flash) => pages.links.users(flash), audited }
    }
    case 'revoke': {
      const { name } = await revokeToken(identities, principal, fields.token)
      const audited = { action: 'revoke-token', target: `/api/tokens/${fields.token}` }
      return { says: ['revoked', name], to: toUser(named.name), audited }
    }
  }
}

interface Answered {
  readonly made?: NewCredentials
  readonly refusal?: Refusal
}

async function answerList(
  { pages, identities }: PagesContext,
  c: Context<RouteEnv>,
  { made, refusal, name = '' }: Answered & { readonly name?: string } = {},
): Promise<Response> {
  const { q = '', offset = '0' } = c.req.query()
  const all = await listUsers(identities, c.env.principal)
  const wanted = q.trim().toLowerCase()
  const matching = all.filter((user) => user.name.toLowerCase().includes(wanted))
  const at = { offset: parseOffset(offset), pageSize: USER_ROWS }
  const { items: users, offset: first } = itemsAt(matching, at)
  const view = {
    ...pages.openWithMessage(c, refusal),
    users,
    offset: first,
    matching: matching.length,
    total: all.length,
    filter: q,
    made: made ?? null,
    name,
    problems: fieldProblems(refusal, { 'name-in-use': 'name' }),
  }
  return pageResponse(<UsersView {...view} />, refusal?.status, NO_STORE)
}

async function answerOne(
  { pages, identities }: PagesContext,
  c: Context<RouteEnv, '/users/:name'>,
  { made, refusal }: Answered = {},
): Promise<Response> {
  const { principal } = c.env
  const { name: asked, source } = namedIn(c)
  const user = (await listUsers(identities, principal)).find(
    (listed) => isSameName(listed.name, asked) && (source ?? listed.source) === listed.source,
  )
  if (user === undefined)
    throw new ServiceError('user-not-found', `There is no user ${asked}`, { username: asked })
  const view = {
    user,
    tokens: await listTokens(identities, principal, user.known),
    own: user.disabled ? null : await readPermissionsOf(identities, principal, user.known),
    made: made ?? null,
    problems: fieldProblems(refusal),
    ...pages.openWithMessage(c, refusal),
  }
  return pageResponse(<UserView {...view} />, refusal?.status, NO_STORE)
}
