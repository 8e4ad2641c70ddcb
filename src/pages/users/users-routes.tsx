import type { Context } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import { isSameName } from '../../core/name-key.ts'
import { parseOffset } from '../../core/page.ts'
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
import { statusOf } from '../../http/errors.ts'
import { malformed } from '../../http/parameters.ts'
import { type Form, readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { Query } from '../kit/links.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { readPermissionsOf } from '../permissions/permissions-page.ts'
import { newPasswordIn } from './new-password.ts'
import { UserView } from './user-view.tsx'
import { USER_ROWS, UsersView } from './users-view.tsx'

const MAX_FORM_BYTES = 16_384

const route = pageWith<PagesContext>()

/** `/users` and `/users/[name]`: who can log in, for administrators. */
export const usersPages = definePage({
  open: (context) => context,
  routes: [
    route({ method: 'GET', path: '/users', handle: (c, context) => answerList(context, c, {}) }),
    route({
      method: 'POST',
      path: '/users',
      handle: async (c, context) => {
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        const name = textField(form, 'name') ?? ''
        return explained(
          c,
          async () => {
            const wanted = { name, password: newPasswordIn(form) }
            const made = await createUser(context.identities, c.env.principal, wanted)
            c.env.auditActions = [{ action: 'create-user', target: userTarget(made.name) }]
            return answerList(context, c, { made })
          },
          (refused) => answerList(context, c, { ...refused, name }),
        )
      },
    }),
    route({
      method: 'GET',
      path: '/users/:name',
      handle: (c, context) => answerOne(context, c, {}),
    }),
    route({
      method: 'POST',
      path: '/users/:name',
      handle: async (c, context) => {
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        return explained(
          c,
          () => act(context, c, form),
          (refused) => answerOne(context, c, refused),
        )
      },
    }),
  ],
})

async function act(
  context: PagesContext,
  c: Context<RouteEnv, '/users/:name'>,
  form: Form,
): Promise<Response> {
  const { identities, pages } = context
  const { links, flash } = pages
  const { principal } = c.env
  const named = namedIn(c)
  const { name, source } = named
  const at = (query: Query): Query => ({ source: source ?? null, ...query })
  switch (textField(form, 'action') ?? '') {
    case 'disable': {
      const disabled = await disableAccount(identities, principal, named)
      c.env.auditActions = [{ action: 'disable-user', target: userTarget(disabled) }]
      return c.redirect(
        links.user(disabled, at(flash.query(principal, 'user-disabled', disabled))),
        303,
      )
    }
    case 'enable': {
      const enabled = await enableAccount(identities, principal, named)
      c.env.auditActions = [{ action: 'enable-user', target: userTarget(enabled) }]
      return c.redirect(
        links.user(enabled, at(flash.query(principal, 'user-enabled', enabled))),
        303,
      )
    }
    case 'password': {
      const made = await resetPassword(identities, principal, {
        ...named,
        password: newPasswordIn(form),
      })
      c.env.auditActions = [{ action: 'reset-password', target: userTarget(made.name) }]
      return answerOne(context, c, { made })
    }
    case 'delete': {
      const gone = await deleteUser(identities, principal, named)
      c.env.auditActions = [{ action: 'delete-user', target: userTarget(gone) }]
      return c.redirect(links.users(flash.query(principal, 'user-removed', gone)), 303)
    }
    case 'revoke': {
      const id = textField(form, 'token') ?? ''
      const token = await revokeToken(identities, principal, id)
      c.env.auditActions = [{ action: 'revoke-token', target: `/api/tokens/${id}` }]
      return c.redirect(links.user(name, at(flash.query(principal, 'revoked', token.name))), 303)
    }
    default:
      throw malformed('action is none of disable, enable, password, delete, revoke', 'action')
  }
}

interface Answered {
  readonly made?: NewCredentials
  readonly problem?: string
  readonly status?: number
}

/** A rule that refuses something is said on the page; who may not see the page gets no page. */
async function explained(
  c: Context<RouteEnv>,
  run: () => Promise<Response>,
  answer: (refused: Answered) => Promise<Response>,
): Promise<Response> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    c.env.reason = error.code
    return answer({ problem: `${error.message}.`, status: statusOf(error) })
  }
}

async function answerList(
  { pages, clock, identities }: PagesContext,
  c: Context<RouteEnv>,
  { made, problem, status = 200, name = '' }: Answered & { readonly name?: string },
): Promise<Response> {
  const { q = '', offset = '0' } = c.req.query()
  const all = await listUsers(identities, c.env.principal)
  const wanted = q.trim().toLowerCase()
  const users = all.filter((user) => user.name.toLowerCase().includes(wanted))
  const first = parseOffset(offset)
  const view = {
    frame: pages.frame(c.req.raw, c.env.principal),
    flash: problem === undefined ? pages.flash.take(c) : { isDone: false, text: problem },
    users: users.slice(first, first + USER_ROWS),
    offset: first,
    matching: users.length,
    total: all.length,
    filter: q,
    made: made ?? null,
    name,
    now: clock(),
  }
  return pageResponse(<UsersView {...view} />, status, NO_STORE)
}

async function answerOne(
  { pages, clock, identities }: PagesContext,
  c: Context<RouteEnv, '/users/:name'>,
  { made, problem, status = 200 }: Answered,
): Promise<Response> {
  const { principal } = c.env
  const { name: asked, source } = namedIn(c)
  const user = (await listUsers(identities, principal)).find(
    (listed) => isSameName(listed.name, asked) && (source ?? listed.source) === listed.source,
  )
  if (user === undefined)
    throw new ServiceError('user-not-found', `There is no user ${asked}`, { username: asked })
  const view = {
    frame: pages.frame(c.req.raw, principal),
    flash: problem === undefined ? pages.flash.take(c) : { isDone: false, text: problem },
    user,
    tokens: await listTokens(identities, principal, user.known),
    own: user.disabled ? null : await readPermissionsOf(identities, principal, user.known),
    made: made ?? null,
    now: clock(),
  }
  return pageResponse(<UserView {...view} />, status, NO_STORE)
}
