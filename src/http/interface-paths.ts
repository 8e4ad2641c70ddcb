import { innerPath } from './door.ts'

/** What answers programs: always JSON, whatever the caller accepts. */
const INTERFACE = /^\/(api|admin|tab|files|git|assets|health|metrics|config\/diff)(\/|$)/
const PAGES = /^\/(audit|config|agents|pipelines|stages|colours|log-out)?(\/|$)/

/** Whether a path, or the pattern of a route, is for programs and not a page. */
export function isInterface(path: string): boolean {
  return INTERFACE.test(path)
}

/** Whether somebody asks for a page, also for one that is not there. */
export function isForPage(request: Request, basePath: string): boolean {
  const path = innerPath(request, basePath)
  if (isInterface(path)) return false
  return PAGES.test(path) || (request.headers.get('accept') ?? '').includes('text/html')
}
