import type { Problem } from './problem.ts'

/** The people whose decision a refused change needs. */
export interface Need {
  readonly rule: string
  readonly of: readonly string[]
  readonly reason?: string
  /** The moment from which the rule does not apply, in ISO 8601. */
  readonly until?: string
}

/** Every failure that a caller can understand, with its facts. */
export interface ErrorFacts {
  /** The input is not well-formed for the call. */
  'malformed-request': { readonly problems: readonly Problem[] }
  /** The caller did not name the base of the edit. */
  'base-missing': { readonly header: string }
  'body-too-large': { readonly limit: number }
  /** The body is in a content coding that is not unpacked. */
  'coding-unsupported': { readonly coding: string }
  /** The document is not a valid configuration. */
  'config-invalid': { readonly problems: readonly Problem[] }
  /** The edit is based on another configuration and cannot be merged; `problems` has both sides. */
  'config-stale': { readonly current: string; readonly problems: readonly Problem[] }
  'snapshot-not-found': { readonly digest: string }
  /** A native commit contains secrets in plain text; its exact bytes are not served. */
  'secrets-in-plain-text': { readonly digest: string; readonly problems: readonly Problem[] }
  'revision-not-found': { readonly commit: string }
  /** The revision has no tag of that name. */
  'tag-not-found': { readonly name: string }
  'proposal-not-found': { readonly number: number }
  /** The proposal is merged or closed already. */
  'proposal-not-open': { readonly number: number; readonly state: string }
  /** The proposal has changed, or touches what has changed, since the caller looked at it. */
  'proposal-outdated': { readonly number: number }
  /** The configuration has no entity of that kind and name. */
  'entity-not-found': { readonly kind: string; readonly name: string }
  'agent-not-found': { readonly uuid: string }
  /** The configuration does not contain it yet. */
  'agent-not-listed': { readonly uuid: string }
  'agent-not-deletable': { readonly uuid: string; readonly reason: string }
  'user-not-found': { readonly username: string }
  /** Without this user, nobody who can log in would administer the server. */
  'last-administrator': { readonly username: string }
  /** The caller has no token with that id. */
  'token-not-found': { readonly id: string }
  /** There is no such webhook, or no such delivery of it. */
  'delivery-not-found': { readonly webhook: string }
  'invitation-not-found': { readonly id: string }
  /** The limit of open invitations is reached. */
  'too-many-invitations': { readonly limit: number }
  /** The user has as many tokens as a user may have. */
  'too-many-tokens': { readonly limit: number }
  'pipeline-not-found': { readonly pipeline: string }
  'stage-not-found': { readonly pipeline: string; readonly stage: string }
  /** No job of the pipeline has a variable of that name. */
  'variable-not-found': { readonly pipeline: string; readonly name: string }
  /** The pipeline has no material of that name or fingerprint. */
  'material-not-found': { readonly pipeline: string; readonly material: string }
  /** The material does not have that revision. */
  'material-revision-not-found': { readonly material: string; readonly revision: string }
  /** The run cannot start now, for the given reason. */
  'not-schedulable': {
    readonly pipeline: string
    readonly stage: string
    readonly reason: string
  }
  /** Another run holds the pipeline's lock. */
  'pipeline-locked': { readonly pipeline: string; readonly counter: number }
  /** The pipeline is paused: no run of it can start. */
  'pipeline-paused': { readonly pipeline: string; readonly by: string; readonly cause: string }
  'job-not-found': { readonly id: number }
  /** An agent reports a job that it does not have. */
  'job-not-yours': { readonly id: number; readonly uuid: string }
  'name-in-use': { readonly name: string }
  /** The caller is known but lacks the permission. */
  'not-permitted': {
    readonly permission: string
    readonly needs?: readonly Need[]
    /** Where to propose a change that is left to others. */
    readonly propose?: string
  }
  /** Like `not-permitted`, for the calls that the interface answers with 401. */
  'not-authorized': { readonly permission: string }
  /** Another service does not vouch for the user who logs in; the detail is for the log. */
  'log-in-refused': { readonly detail: string }
  /** The token does not belong to the calling agent. */
  'token-refused': { readonly uuid: string }
  /** The registration key is not one of this server. */
  'key-refused': { readonly key: 'wrong' }
  /** The caller has to wait, in seconds. */
  'too-many-requests': { readonly retryAfter: number }
  /** Another machine uses this uuid. */
  'agent-taken': { readonly uuid: string }
  /** The disk of the server has no space for the sent data. */
  'disk-full': { readonly reason: string }
  'file-not-found': { readonly path: string }
  /** An administrator refuses this for a time, for the given reason. */
  maintenance: { readonly reason: string }
  /** The service cannot do this now: its repository or store is damaged, full or not writable. */
  unavailable: { readonly reason: string; readonly retryAfter?: number }
}

export type ErrorCode = keyof ErrorFacts

/**
 * A failure that the caller can understand and act on. Every other thrown error is a bug or an
 * outage.
 */
export class ServiceError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code
  readonly facts: ErrorFacts[Code]

  constructor(code: Code, message: string, facts: ErrorFacts[Code], options?: ErrorOptions) {
    super(message, options)
    this.name = 'ServiceError'
    this.code = code
    this.facts = facts
  }
}

/** The message of any thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The error for input that is not well-formed; `path` names its part. */
export function malformedRequest(message: string, path?: string): ServiceError {
  const problem = path === undefined ? { message } : { message, path }
  return new ServiceError('malformed-request', message, { problems: [problem] })
}

/** The error when the service cannot do something now, though it usually can. */
export function unavailable(reason: string, cause?: unknown): ServiceError<'unavailable'> {
  return new ServiceError('unavailable', reason, { reason }, { cause })
}
