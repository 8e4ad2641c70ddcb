import { getPath } from 'hono/utils/url'

/** The path without base path and trailing slashes; outside the base path, one that nothing matches. */
export function innerPath(request: Request, basePath: string): string {
  const path = getPath(request)
  if (basePath !== '' && path !== basePath && !path.startsWith(`${basePath}/`)) return '/\0outside'
  const inner = path.slice(basePath.length)
  return inner.endsWith('/') ? inner.replace(/\/+$/, '') || '/' : inner || '/'
}
