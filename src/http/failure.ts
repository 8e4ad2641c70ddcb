import type { Need, ServiceError } from '../core/errors.ts'
import type { Problem } from '../core/problem.ts'
import type { RequestContext } from './request-context.ts'
import { json, needsOf, problemsOf, proposeOf, shown, statusOf } from './errors.ts'

/** Why a request has no better answer. */
export interface Failure {
  readonly status: number
  readonly message: string
  readonly problems: readonly Problem[]
  readonly needs: readonly Need[]
  /** Where to propose the change. */
  readonly propose?: string | undefined
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
  return { status, message, problems: [], needs: [], headers }
}

export function failureOf(error: ServiceError): Failure {
  const problems = problemsOf(error)
  const { facts } = error
  const headers: Record<string, string> =
    'retryAfter' in facts && facts.retryAfter !== undefined
      ? { 'retry-after': `${facts.retryAfter}` }
      : {}
  const [status, message, needs] = [statusOf(error), shown(error.message), needsOf(error)]
  return { status, message, problems, needs, headers, ...proposeOf(error) }
}

export const answerInJson: AnswerFailure = (
  _,
  { status, message, problems, needs, propose, headers },
) =>
  json(
    {
      message,
      ...(problems.length > 0 ? { errors: problems } : {}),
      ...(needs.length > 0 ? { needs } : {}),
      ...(propose === undefined ? {} : { propose }),
    },
    status,
    headers,
  )
