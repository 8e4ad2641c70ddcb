import { hasAgentToken } from './agents/agent-token.ts'
import { CALLERS } from './definition/operation.ts'
import { ROUTES } from './resources.ts'

type Scheme = (typeof CALLERS)[keyof typeof CALLERS]['scheme']

const isOpen = coveredBy([...pathsFor(null), ...pathsFor('agent'), '/assets/:name'])
const isOpenToAgents = coveredBy(pathsFor('both'))
const knowsUsers = new Set(ROUTES.filter((route) => route.knowsUsers).map(({ path }) => path))

/** The way in and the way out of pages. */
export const DOORS: readonly string[] = [
  '/login',
  '/login/oidc',
  '/login/oidc/callback',
  '/log-out',
]

/** The form in the footer of every page, that of the log-in too. */
const COLOURS = '/colours'

/**
 * Whether a request is answered without a user: the calls of anybody, those that carry an agent's
 * token, what pages load, the way in and the way out. What is below such an address is missing for everybody.
 */
export function isPublic(path: string, request: Request): boolean {
  const isForAnybody = isOpen(path) || DOORS.includes(path) || path === COLOURS
  return isForAnybody || (isOpenToAgents(path) && hasAgentToken(request))
}

/** Whether a public address answers more to a user. */
export function isForUsersToo(path: string): boolean {
  return knowsUsers.has(path)
}

function pathsFor(scheme: Scheme): string[] {
  return ROUTES.filter(({ caller }) => CALLERS[caller].scheme === scheme).map(({ path }) => path)
}

/** Whether a path is one of these, or below the part of one that has no parameters. */
function coveredBy(patterns: readonly string[]): (path: string) => boolean {
  const fixed = new Set(patterns.filter((pattern) => !pattern.includes(':')))
  const starts = patterns.map((pattern) => pattern.replace(/(\/:.*)?$/, '/'))
  const least = [...new Set(starts)].filter(
    (start) => !starts.some((other) => other !== start && start.startsWith(other)),
  )
  return (path) => fixed.has(path) || least.some((start) => path.startsWith(start))
}
