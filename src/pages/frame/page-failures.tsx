import type { AnswerFailure } from '../../http/failure.ts'
import { ErrorPage } from './error-page.tsx'
import { pageResponse } from './page-response.ts'
import type { PageContext } from './page-context.ts'

/** Why there is no better page, as a page. */
export function pageFailures(shell: PageContext): AnswerFailure {
  return (request, failure, principal) => {
    const chrome = shell.frame(request, principal)
    const page = <ErrorPage chrome={chrome} failure={failure} />
    return pageResponse(page, failure.status, failure.headers)
  }
}
