import type { Action } from '../core/service/audit.ts'
import type { Audit } from '../notify/audit/audit.ts'
import { DIGEST_HEADER } from './configuration/digest-header.ts'
import type { AuditAction, RequestContext } from '../http/request-context.ts'

const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Has a request noted that is an action: whatever is not safe, a log-in, and whatever was refused to a
 * caller. Null for all others, and for a repetition that is only counted.
 */
export function auditRequests(audit: Audit) {
  return (request: Request, context: RequestContext, response: Response): Promise<void> | null => {
    if (context.isAnsweredElsewhere) return null
    const { status } = response
    const isRefusal = status === 403 || (status === 401 && context.reason !== 'no-credentials')
    const isReading = SAFE.includes(request.method) && context.route?.acts !== true
    if (isReading && !isRefusal) return null
    if (!isRefusal && !isAction(context)) return null
    const action = actionOf(request, context, response)
    if (context.auditActions.length > 0)
      return noteAll(audit, actionsOf(action, context.auditActions))
    const isAnybody = context.principal.username === ''
    return isAnybody ? audit.noteOften(action) : audit.note(action)
  }
}

async function noteAll(audit: Audit, actions: readonly Action[]): Promise<void> {
  await Promise.all(actions.map(async (action) => audit.note(action)))
}

/** The single actions of a request; one that ended differently from the request has no status. */
function actionsOf(
  { status = 0, ...whole }: Action,
  auditActions: readonly AuditAction[],
): Action[] {
  return auditActions.map(({ ended, ...own }): Action => {
    const single = { ...whole, ...own }
    if (!ended?.reason) return { ...single, status }
    return { ...single, outcome: 'refused', reason: ended.reason }
  })
}

function isAction({ route, isNews }: RequestContext): boolean {
  return route !== null && !route.isQuiet && isNews
}

function actionOf(
  request: Request,
  context: RequestContext,
  { status, headers }: Response,
): Action {
  const { route, principal, address, reason, id } = context
  const md5 = status < 400 ? headers.get(DIGEST_HEADER) : null
  const claimed = reason === 'wrong-credentials' ? claimedName(request, context) : null
  return {
    user: principal.username,
    ...(principal.credential?.kind === 'token' ? { token: principal.credential.id } : {}),
    action: route?.action ?? request.method,
    target: context.auditTarget ?? new URL(request.url).pathname,
    address,
    outcome: status < 400 ? 'done' : status < 500 ? 'refused' : 'failed',
    status,
    request: id,
    ...(reason === null ? {} : { reason }),
    ...(md5 === null ? {} : { md5 }),
    ...(claimed === null ? {} : { claimed }),
  }
}

/** The name in credentials that were wrong, of a form or of Basic. */
function claimedName(request: Request, { claimed }: RequestContext): string | null {
  if (claimed !== null) return claimed.slice(0, 100)
  const [, encoded] = /^Basic +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (encoded === undefined) return null
  const [name = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  return name.slice(0, 100)
}
