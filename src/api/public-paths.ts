import { hasAgentToken } from './agents/agent-token.ts'
import { CALLERS } from './definition/operation.ts'
import { ROUTES } from './resources.ts'

type Scheme = (typeof CALLERS)[keyof typeof CALLERS]['scheme']

const isOpen = coveredBy([...pathsFor(null), ...pathsFor('agent'), '/assets/:name'])
const isOpenToAgents = coveredBy(pathsFor('both'))
const knowsUsers = new Set(ROUTES.filter((route) => route.knowsUsers).map(({ path }) => path))

/** The pages to log in and out by. */
export const PUBLIC_PATHS: readonly string[] = [
  '/login',
  '/login/oidc',
  '/login/oidc/callback',
  '/log-out',
]

/** The form in the footer of every page, the log-in page included. */
const COLOURS = '/colours'

/**
 * Whether a request needs no user: public calls, calls with an agent's token, files that pages load,
 * and the log-in. Paths below such an address are not found for any caller.
 */
export function isPublic(path: string, request: Request): boolean {
  const isForEveryone = isOpen(path) || PUBLIC_PATHS.includes(path) || path === COLOURS
  return isForEveryone || (isOpenToAgents(path) && hasAgentToken(request))
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
  const shortest = [...new Set(starts)].filter(
    (start) => !starts.some((other) => other !== start && start.startsWith(other)),
  )
  return (path) => fixed.has(path) || shortest.some((start) => path.startsWith(start))
}
