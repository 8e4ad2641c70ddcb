import { innerPath } from '../http/request-context.ts'
import { ROUTES } from './resources.ts'

/** The first segments of the addresses of pages. */
const PAGES: readonly string[] = [
  'account',
  'agent-invitations',
  'audit',
  'config',
  'agents',
  'permissions',
  'pipelines',
  'problems',
  'search',
  'servers',
  'stages',
  'tokens',
  'users',
  'colours',
  'log-out',
  'login',
]
/** The first segments of the addresses for programs, and of the files that pages load. */
const PROGRAMS = [...new Set(ROUTES.map(({ path }) => startOf(path))), 'assets']

const PAGE = new RegExp(`^/(${PAGES.join('|')})?(/|$)`)
/** The addresses for programs, which always answer with JSON, whatever the caller accepts. */
const INTERFACE = new RegExp(`^/(${PROGRAMS.join('|')})(/|$)`)

/** `api`; below an address that pages have too, one segment more. */
function startOf(path: string): string {
  const [, first = '', second = ''] = path.split('/')
  return PAGES.includes(first) ? `${first}/${second}` : first
}

/** Whether a path, or the pattern of a route, is for programs and not a page. */
export function isInterface(path: string): boolean {
  return INTERFACE.test(path)
}

/** Whether somebody asks for a page, also for one that is not there. */
export function isForPage(request: Request, basePath: string): boolean {
  const path = innerPath(request, basePath)
  if (isInterface(path)) return false
  return PAGE.test(path) || (request.headers.get('accept') ?? '').includes('text/html')
}
