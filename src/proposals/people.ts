import { ServiceError } from '../core/errors.ts'
import { assertScope } from '../core/assert-scope.ts'
import type { Principal } from '../core/principal.ts'
import type { Proposal } from './proposal.ts'
import type { ProposalPerson } from './proposal-event.ts'

/** A caller as events record one: without the credential. */
export function personOf({ username, userId, external }: Principal): ProposalPerson {
  return {
    username,
    ...(userId === undefined ? {} : { userId }),
    ...(external === undefined ? {} : { external }),
  }
}

/** @throws {ServiceError} `not-permitted` for a caller with a token, who may propose and nothing else. */
export function assertIsPerson({ credential }: Principal): void {
  if (credential?.kind !== 'token') return
  const message = 'A token may propose, and not review: log in with a password or on a page'
  throw new ServiceError('not-permitted', message, { permission: 'approve' })
}

export function credentialOf({ credential }: Principal): 'password' | 'session' | 'token' {
  return credential?.kind ?? 'password'
}

/**
 * Asserts that a token is one that saves: merging a proposal is a save, now or by itself.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export function assertTokenMaySave(principal: Principal): void {
  assertScope(principal, { scope: 'admin', what: 'merging a proposal' })
}

/** @throws {ServiceError} `proposal-not-open`. */
export function assertOpen({ number, state }: Proposal): void {
  if (state === 'open') return
  const message = `The proposal ${number} is ${state}`
  throw new ServiceError('proposal-not-open', message, { number, state })
}

/** The error for a proposal that touches what has changed since it was made. */
export function outdated({ number }: Proposal): ServiceError {
  const message = `The proposal ${number} touches what has changed since: update it first`
  return new ServiceError('proposal-outdated', message, { number })
}

/** Why a merge was refused, for everybody who may see the proposal: places of others are not named. */
export function whyHeld(error: ServiceError): string {
  return error.code === 'config-invalid'
    ? 'The configuration would not be valid with it'
    : error.message
}

/**
 * Asserts that a version that somebody has seen is the newest one; null stands for that.
 *
 * @throws {ServiceError} `proposal-outdated`.
 */
export function assertNewest({ number, newest }: Proposal, version: number | null): void {
  if (version === null || version === newest.version) return
  const message = `The proposal ${number} has a newer version: ${newest.version}`
  throw new ServiceError('proposal-outdated', message, { number })
}
