import type { AnswerFailure } from '../../http/failure.ts'
import { ErrorPage } from './error-page.tsx'
import { pageResponse } from './page-response.ts'
import type { PageContext } from './page-context.ts'

/** Renders errors as pages. */
export function pageFailures(pages: PageContext): AnswerFailure {
  return (request, failure, principal) => {
    const frame = pages.frame(request, principal)
    const page = <ErrorPage frame={frame} failure={failure} />
    return pageResponse(page, failure.status, failure.headers)
  }
}
