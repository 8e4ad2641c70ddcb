import type { AnswerFailure } from '../../http/failure.ts'
import { ErrorPage } from './error-page.tsx'
import { pageResponse } from './page-response.ts'
import type { Shell } from './page-context.ts'

/** Why there is no better page, as a page. */
export function pageFailures(shell: Shell): AnswerFailure {
  return (request, failure, principal) => {
    const chrome = shell.chrome(request, principal)
    const page = <ErrorPage chrome={chrome} failure={failure} />
    return pageResponse(page, failure.status, failure.headers)
  }
}
