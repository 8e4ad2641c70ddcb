import { ServiceError } from '../../core/errors.ts'
import { isScopeEnough, type Principal, type TokenScope } from '../../core/principal.ts'
import type { CallerKind } from './operation.ts'
import type { RouteRules } from './route-rules.ts'

/** Callers whose calls are about builds. */
const OPERATORS: readonly CallerKind[] = ['operator', 'approver']
/** The calls that are about agents. */
const AGENTS = 'Agents'

/** The scope that a token needs, and the error when it is missing: as for a user without the right. */
interface TokenNeed {
  readonly scope: TokenScope
  readonly refusal: 'not-permitted' | 'not-authorized'
}

/** The scope that a token needs for a route, and its refusal. */
export function tokenNeedOf(route: RouteRules): TokenNeed {
  const is401 = route.errors?.includes('not-authorized') === true
  return { scope: scopeOf(route), refusal: is401 ? 'not-authorized' : 'not-permitted' }
}

/**
 * Asserts that the caller's token is good for a route. What its owner may is another question, which
 * is asked besides.
 *
 * @throws {ServiceError} `not-permitted`, or `not-authorized` for the calls that answer with it.
 */
export function assertScope({ credential }: Principal, { scope, refusal }: TokenNeed): void {
  if (credential?.kind !== 'token' || isScopeEnough(scope, credential.scope)) return
  const message = `This token is for "${credential.scope}" only, and this needs "${scope}"`
  throw new ServiceError(refusal, message, { permission: scope })
}

function scopeOf({ method, caller, tag, scope }: RouteRules): TokenScope {
  if (scope !== undefined) return scope
  if (method === 'GET') return 'read'
  return OPERATORS.includes(caller) || tag === AGENTS ? 'operate' : 'admin'
}
