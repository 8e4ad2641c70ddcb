import { type ErrorCode, ServiceError } from '../../core/errors.ts'
import { statusOf } from '../../http/errors.ts'
import type { RequestContext } from '../../http/request-context.ts'
import type { FlashMessage } from '../kit/notice.tsx'

/** Why an action was refused, shown on the page that requested it. */
export interface Refusal {
  readonly flash: FlashMessage
  readonly status: number
  readonly error: ServiceError
}

/** The problems of a form by the names of its fields. */
export type FieldProblems = ReadonlyMap<string, string>

/** The problems of a refusal by field; `of` names the field that an error without one is about. */
export function fieldProblems(
  refusal: Refusal | null | undefined,
  of: Partial<Record<ErrorCode, string>> = {},
): FieldProblems {
  if (!refusal) return new Map()
  const { code, facts, message } = refusal.error
  const problems = 'problems' in facts ? facts.problems : [{ message, path: of[code] }]
  return new Map(
    problems.flatMap((each) => (each.path === undefined ? [] : [[each.path, each.message]])),
  )
}

const PAGES_OF_THEIR_OWN: readonly ErrorCode[] = ['not-permitted', 'not-authorized']

/**
 * A caller who may not see the page gets an error page instead.
 * @throws {ServiceError} the refusal itself.
 */
export function assertShown(refusal: Refusal | null, maySee: boolean): void {
  if (refusal !== null && !maySee) throw refusal.error
}

/**
 * Performs the action of a request, or returns why it was refused. A caller without permission gets
 * an error page, unless the page explains that refusal.
 */
export async function refusalOf<Done>(
  context: RequestContext,
  action: () => Promise<Done>,
  explains: readonly ErrorCode[] = [],
): Promise<{ readonly done: Done } | { readonly refusal: Refusal }> {
  try {
    return { done: await action() }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (PAGES_OF_THEIR_OWN.includes(error.code) && !explains.includes(error.code)) throw error
    context.reason = error.code
    const flash = { isDone: false, text: `${error.message}.` }
    return { refusal: { flash, status: statusOf(error), error } }
  }
}
