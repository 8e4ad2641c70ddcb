import type { Problem } from './problem.ts'

/** Every failure a caller can understand, with the facts that it carries. */
export interface ErrorFacts {
  /** The input does not have the form that the call asks for. */
  'malformed-request': { readonly problems: readonly Problem[] }
  /** The document is not a valid configuration. */
  'config-invalid': { readonly problems: readonly Problem[] }
  /** The edit began from another configuration and cannot be merged; both sides in `problems`. */
  'config-stale': { readonly current: string; readonly problems: readonly Problem[] }
  'snapshot-not-found': { readonly digest: string }
  'revision-not-found': { readonly commit: string }
  'agent-not-found': { readonly uuid: string }
  'agent-not-deletable': { readonly uuid: string; readonly reason: string }
  'pipeline-not-found': { readonly pipeline: string }
  'stage-not-found': { readonly pipeline: string; readonly stage: string }
  /** The run cannot start now: something is in its way. */
  'not-schedulable': {
    readonly pipeline: string
    readonly stage: string
    readonly reason: string
  }
  /** Another run holds the pipeline's lock. */
  'pipeline-locked': { readonly pipeline: string; readonly counter: number }
  'job-not-found': { readonly id: number }
  /** An agent reports a job that it does not have. */
  'job-not-yours': { readonly id: number; readonly uuid: string }
  'name-in-use': { readonly name: string }
  /** The caller is known but may not do this. */
  'not-permitted': { readonly permission: string }
  /** The service cannot do this now: its repository or store is damaged, full or not writable. */
  unavailable: { readonly reason: string }
}

export type ErrorCode = keyof ErrorFacts

/** A failure that the caller can understand and act on. Everything else that is thrown is a bug or an outage. */
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
