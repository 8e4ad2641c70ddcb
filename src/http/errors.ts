import { type ErrorCode, malformedRequest, type Need, type ServiceError } from '../core/errors.ts'
import type { Problem } from '../core/problem.ts'
import type { ErrorBody } from '../wire/error-body.ts'

const MAX_MESSAGE_LENGTH = 2_000

/** The whole mapping. Adding an error code without a status does not compile. */
export const STATUS = {
  'malformed-request': 400,
  'base-missing': 428,
  'body-too-large': 413,
  'coding-unsupported': 415,
  'config-invalid': 422,
  'config-stale': 412,
  'snapshot-not-found': 404,
  'secrets-in-plain-text': 410,
  'revision-not-found': 404,
  'tag-not-found': 404,
  'entity-not-found': 404,
  'proposal-not-found': 404,
  'proposal-not-open': 409,
  'proposal-outdated': 409,
  'agent-not-found': 404,
  'agent-not-listed': 409,
  'agent-not-deletable': 406,
  'user-not-found': 404,
  'last-administrator': 409,
  'token-not-found': 404,
  'invitation-not-found': 404,
  'delivery-not-found': 404,
  'too-many-invitations': 409,
  'too-many-tokens': 409,
  'pipeline-not-found': 404,
  'stage-not-found': 404,
  'variable-not-found': 404,
  'material-not-found': 404,
  'material-revision-not-found': 404,
  'name-in-use': 409,
  'job-not-found': 404,
  'job-not-yours': 410,
  'not-schedulable': 409,
  'pipeline-locked': 409,
  'pipeline-paused': 409,
  'not-permitted': 403,
  'not-authorized': 401,
  'log-in-refused': 403,
  'token-refused': 401,
  'key-refused': 403,
  'too-many-requests': 429,
  'agent-taken': 409,
  'file-not-found': 404,
  'disk-full': 507,
  maintenance: 503,
  unavailable: 503,
} as const satisfies Record<ErrorCode, number>

export function statusOf(error: ServiceError): number {
  return STATUS[error.code]
}

/** The error of a request whose client ended the connection before it was answered; nobody gets it. */
export function clientGone(): ServiceError {
  return malformedRequest('The client ended the connection before it was answered')
}

export function renderError(error: ServiceError): ErrorBody {
  const problems = problemsOf(error)
  const message = shown(error.message)
  const needs = needsOf(error)
  return {
    message,
    ...(problems.length > 0 ? { errors: [...problems] } : {}),
    ...(needs.length > 0 ? { needs } : {}),
    ...proposeOf(error),
  }
}

/** Where to propose a change that is left to others. */
export function proposeOf({ facts }: ServiceError): Pick<ErrorBody, 'propose'> {
  return 'propose' in facts && facts.propose !== undefined ? { propose: facts.propose } : {}
}

export function needsOf({ facts }: ServiceError): readonly Need[] {
  return ('needs' in facts ? facts.needs : null) ?? []
}

export function problemsOf({ facts }: ServiceError): readonly Problem[] {
  const problems = 'problems' in facts ? facts.problems : []
  return problems.map(({ path, ...problem }) => ({
    ...problem,
    message: shown(problem.message),
    ...(path === undefined ? {} : { path: shown(path) }),
  }))
}

/** Truncates a message, which may quote input of any length. */
export function shown(message: string): string {
  return message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH)}…`
}

/** A JSON answer of any status. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    },
  })
}
