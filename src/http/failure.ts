import type { ServiceError } from '../core/errors.ts'
import type { Problem } from '../core/problem.ts'
import type { RequestContext } from './request-context.ts'
import { json, problemsOf, shown, statusOf } from './errors.ts'

/** Why a request has no better answer. */
export interface Failure {
  readonly status: number
  readonly message: string
  readonly problems: readonly Problem[]
  readonly headers: Record<string, string>
}

/** Puts a failure into the form that suits the request. */
export type AnswerFailure = (
  request: Request,
  failure: Failure,
  context: RequestContext,
) => Response | Promise<Response>

export function failure(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Failure {
  return { status, message, problems: [], headers }
}

export function failureOf(error: ServiceError): Failure {
  const problems = problemsOf(error)
  const { facts } = error
  const headers: Record<string, string> =
    'retryAfter' in facts && facts.retryAfter !== undefined
      ? { 'retry-after': `${facts.retryAfter}` }
      : {}
  return { status: statusOf(error), message: shown(error.message), problems, headers }
}

export const answerInJson: AnswerFailure = (_, { status, message, problems, headers }) =>
  json({ message, ...(problems.length > 0 ? { errors: problems } : {}) }, status, headers)
