import { innerPath } from '../door.ts'
import { answerInJson, type AnswerFailure } from '../failure.ts'
import { ErrorPage } from './error-page.tsx'
import { pageResponse } from './page-response.ts'
import type { Shell } from './shell.ts'

/** What answers programs: always JSON, whatever the caller accepts. */
const INTERFACE = /^\/(api|admin|tab|files|git|assets|health|metrics|config\/diff)(\/|$)/
const PAGES = /^\/(audit|config|agents|pipelines|stages|colours|log-out)?(\/|$)/

/** A page gets an error page, everything else JSON. */
export function pageFailures({ shell, basePath }: { shell: Shell; basePath: string }) {
  const answer: AnswerFailure = (request, failure, principal) => {
    if (!isPage(request, basePath)) return answerInJson(request, failure, principal)
    const chrome = shell.chrome(request, principal)
    const page = <ErrorPage chrome={chrome} failure={failure} />
    return pageResponse(page, failure.status, failure.headers)
  }
  return answer
}

function isPage(request: Request, basePath: string): boolean {
  const path = innerPath(request, basePath)
  if (isInterface(path)) return false
  return PAGES.test(path) || (request.headers.get('accept') ?? '').includes('text/html')
}

/** Whether a path, or the pattern of a route, is for programs and not a page. */
export function isInterface(path: string): boolean {
  return INTERFACE.test(path)
}
