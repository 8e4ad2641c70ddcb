import { ServiceError } from './errors.ts'
import { isScopeEnough, type Principal, type TokenScope } from './principal.ts'

interface ScopeNeed {
  readonly scope: TokenScope
  /** The call or the act, as the refusal names it. */
  readonly what: string
  readonly refusal?: 'not-permitted' | 'not-authorized'
}

/**
 * Asserts that the caller's token is good for something. What its owner may is another question, which
 * is asked besides.
 *
 * @throws {ServiceError} `not-permitted`, or `not-authorized` for the calls that answer with it.
 */
export function assertScope(
  { credential }: Principal,
  { scope, what, refusal = 'not-permitted' }: ScopeNeed,
): void {
  if (credential?.kind !== 'token' || isScopeEnough(scope, credential.scope)) return
  const message = `This token is for "${credential.scope}" only, and ${what} needs "${scope}"`
  throw new ServiceError(refusal, message, { permission: scope })
}
