import { innerPath } from '../http/request-context.ts'
import { ROUTES } from './resources.ts'

/** What the addresses of pages begin with. */
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
/** What the addresses for programs begin with, and where pages load their files from. */
const PROGRAMS = [...new Set(ROUTES.map(({ path }) => startOf(path))), 'assets']

const PAGE = new RegExp(`^/(${PAGES.join('|')})?(/|$)`)
/** What answers programs: always JSON, whatever the caller accepts. */
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
