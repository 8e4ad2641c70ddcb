import { getPath } from 'hono/utils/url'

/** What answers programs: always JSON, whatever the caller accepts. */
const INTERFACE = /^\/(api|admin|tab|files|git|assets|health|metrics|config\/diff)(\/|$)/
const PAGES = /^\/(audit|config|agents|pipelines|stages|colours|log-out)?(\/|$)/

/** The path without base path and trailing slashes; outside the base path, one that nothing matches. */
export function innerPath(request: Request, basePath: string): string {
  const path = getPath(request)
  if (basePath !== '' && path !== basePath && !path.startsWith(`${basePath}/`)) return '/\0outside'
  const inner = path.slice(basePath.length)
  return inner.endsWith('/') ? inner.replace(/\/+$/, '') || '/' : inner || '/'
}

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
