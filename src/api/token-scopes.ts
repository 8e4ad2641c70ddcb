import { ServiceError } from '../core/errors.ts'
import { isScopeEnough, type Principal, type TokenScope } from '../core/principal.ts'
import type { CallerKind } from './definition/operation.ts'
import { nameOf, type RouteFacts } from './definition/route.ts'
import { ROUTES } from './resources.ts'

/** Callers whose calls are about builds. */
const OPERATORS: readonly CallerKind[] = ['operator', 'approver']
/** The calls that are about agents. */
const AGENTS = 'Agents'

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

const SCOPES: ReadonlyMap<string, TokenScope> = new Map([
  ...ROUTES.map((route) => [nameOf(route), scopeOf(route)] as const),
  ...PAGE_FORMS,
])

/** What a token has to be good for to make a call, given the name of its route. */
export function neededScope(route: string): TokenScope {
  return SCOPES.get(route) ?? (/^(GET|HEAD) /.test(route) ? 'read' : 'admin')
}

/**
 * Asserts that the caller's token is good for a route. What its owner may is another question, which
 * is asked besides.
 *
 * @throws {ServiceError} `not-permitted`
 */
export function assertScope({ credential }: Principal, needed: TokenScope): void {
  if (credential?.kind !== 'token' || isScopeEnough(needed, credential.scope)) return
  const message = `This token is for "${credential.scope}" only, and this needs "${needed}"`
  throw new ServiceError('not-permitted', message, { permission: needed })
}

function scopeOf({ method, caller, tag, scope }: RouteFacts): TokenScope {
  if (scope !== undefined) return scope
  if (method === 'GET') return 'read'
  return OPERATORS.includes(caller) || tag === AGENTS ? 'operate' : 'admin'
}
