import type { AnswerFailure, Failure } from '../../http/failure.ts'
import { pageResponse } from './page-response.ts'
import type { PageContext } from './page-context.ts'
import { type PageFrame, PageLayout } from './layout.tsx'

/** Renders errors as pages. */
export function pageFailures(pages: PageContext): AnswerFailure {
  return (request, failure, principal) => {
    const frame = pages.frame(request, principal)
    const page = <ErrorPage frame={frame} failure={failure} />
    return pageResponse(page, failure.status, failure.headers)
  }
}

const TITLES = new Map([
  [400, 'That request cannot be understood'],
  [401, 'Log in to see this page'],
  [403, 'You may not do this'],
  [404, 'Not found'],
  [405, 'That cannot be done here'],
  [409, 'That is not possible now'],
  [412, 'The configuration has changed'],
  [413, 'That is too large'],
  [422, 'The configuration is not valid'],
  [503, 'The service cannot do this now'],
])

/** The error as a sentence, with links to continue. */
function ErrorPage({ frame, failure }: { frame: PageFrame; failure: Failure }) {
  const { status, message, problems } = failure
  const isRefused = status === 401 && frame.username !== ''
  const isUnknown = status === 401 && !isRefused
  const title = TITLES.get(isRefused ? 403 : status) ?? 'Something went wrong'
  return (
    <PageLayout frame={frame} title={title}>
      <div class="card error">
        <p class="muted">{`Error ${status}`}</p>
        <h1>{title}</h1>
        <p>{`${message}.`}</p>
        {problems.length > 0 && (
          <ul>
            {problems.map(({ line, column, message: problem }) => (
              <li>{line === undefined ? problem : `Line ${line}, column ${column}: ${problem}`}</li>
            ))}
          </ul>
        )}
        <p>
          <a href={frame.links.root()}>{isUnknown ? 'Log in' : 'Go to the first page'}</a>
        </p>
      </div>
    </PageLayout>
  )
}
