import { ServiceError } from '../core/errors.ts'
import { isScopeEnough, type Principal, type TokenScope } from '../core/principal.ts'
import type { CallerKind } from './definition/operation.ts'
import { nameOf, type RouteFacts } from './definition/route.ts'
import { ROUTES } from './resources.ts'

/** Callers whose calls are about builds. */
const OPERATORS: readonly CallerKind[] = ['operator', 'approver']
/** The calls that are about agents. */
const AGENTS = 'Agents'

/**
 * The scope that a call needs, and the error when it is missing, which is the same as for a user
 * without the permission.
 */
interface TokenNeed {
  readonly scope: TokenScope
  readonly refusal: 'not-permitted' | 'not-authorized'
}

/** The forms of pages that do not need all that a user may. */
const PAGE_FORMS: readonly (readonly [string, TokenScope])[] = [
  ['POST /colours', 'read'],
  ['POST /log-out', 'read'],
  ['POST /login', 'read'],
  ['POST /pipelines', 'operate'],
  ['POST /pipelines/:name', 'operate'],
  ['POST /stages/:pipeline/:stage/:pipelineCounter/:stageCounter', 'operate'],
  ['POST /agents', 'operate'],
  ['POST /agents/:uuid', 'operate'],
  ['POST /agents/remove', 'operate'],
  ['POST /agents/:uuid/remove', 'operate'],
]

/** Forms of pages that are refused as the calls are that do the same. */
const REFUSED_WITH_401: readonly string[] = [
  'POST /stages/:pipeline/:stage/:pipelineCounter/:stageCounter',
  'POST /agents/remove',
  'POST /agents/:uuid/remove',
]

const NEEDS: ReadonlyMap<string, TokenNeed> = new Map([
  ...ROUTES.map((route) => [nameOf(route), needOf(route)] as const),
  ...PAGE_FORMS.map(([name, scope]) => [name, needOfForm(name, scope)] as const),
])

/** The scope that a token needs for a call, given the name of its route. */
export function neededOfToken(route: string): TokenNeed {
  const scope = /^(GET|HEAD) /.test(route) ? 'read' : 'admin'
  return NEEDS.get(route) ?? { scope, refusal: 'not-permitted' }
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

function needOf(route: RouteFacts): TokenNeed {
  const is401 = route.errors?.includes('not-authorized') === true
  return { scope: scopeOf(route), refusal: is401 ? 'not-authorized' : 'not-permitted' }
}

function needOfForm(name: string, scope: TokenScope): TokenNeed {
  return { scope, refusal: REFUSED_WITH_401.includes(name) ? 'not-authorized' : 'not-permitted' }
}

function scopeOf({ method, caller, tag, scope }: RouteFacts): TokenScope {
  if (scope !== undefined) return scope
  if (method === 'GET') return 'read'
  return OPERATORS.includes(caller) || tag === AGENTS ? 'operate' : 'admin'
}
