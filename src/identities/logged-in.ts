import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'

/**
 * Asserts that the caller has logged in: a token must not create a credential that outlives it, or
 * it would escape its own expiry and revocation.
 *
 * @throws {ServiceError} `not-permitted` to who calls with a token.
 */
export function assertLoggedIn(
  { credential }: Principal,
  { permission, message }: { readonly permission: string; readonly message: string },
): void {
  if (credential?.kind !== 'token') return
  throw new ServiceError('not-permitted', `${message}: log in with a password`, { permission })
}
