import { innerPath } from '../http/request-context.ts'
import { hasAgentToken } from './agents/agent-token.ts'
import { CALLERS, type Operation } from './definition/operation.ts'
import type { RouteRules } from './definition/route-rules.ts'

/** The route of a page; one that is described is answered beside the pages and is none itself. */
type PageRules = RouteRules & Pick<Partial<Operation>, 'answers'>
type Scheme = (typeof CALLERS)[keyof typeof CALLERS]['scheme']

/** The facts of addresses that are needed before a route answers, derived from all routes. */
export class RouteAddresses {
  readonly #isOpen: (path: string) => boolean
  readonly #isOpenToAgents: (path: string) => boolean
  readonly #forUsersToo: ReadonlySet<string>
  readonly #page: RegExp
  readonly #interface: RegExp
  /** Pages among the calls of programs. */
  readonly #described: ReadonlySet<string>

  constructor(calls: readonly RouteRules[], pages: readonly PageRules[]) {
    const openPages = pages.filter(isFor(null)).map(({ path }) => path)
    const fixed = new Set(openPages.filter((path) => !path.includes(':')))
    const patterns = openPages.filter((path) => path.includes(':'))
    const openCalls = calls.filter((call) => isFor(null)(call) || isFor('agent')(call))
    const isCovered = coveredBy([...openCalls.map(({ path }) => path), ...patterns])
    this.#isOpen = (path) => fixed.has(path) || isCovered(path)
    this.#isOpenToAgents = coveredBy(calls.filter(isFor('both')).map(({ path }) => path))
    this.#forUsersToo = new Set(calls.filter((call) => call.knowsUsers).map(({ path }) => path))
    const shown = pages.filter(({ answers }) => answers === undefined).map(firstSegment)
    const others = pages.map(firstSegment).filter((segment) => !shown.includes(segment))
    const starts = calls.map((call) => startOf(call, shown))
    this.#page = startingWith(shown)
    this.#interface = startingWith([...starts, ...others])
    this.#described = new Set(pages.filter(isAnsweredByPage).map(({ path }) => path))
  }

  /**
   * Whether a request is answered without a user: calls of anybody, calls with the token of an agent, the
   * files and the log-in of pages. An address below one of these does not exist for anybody.
   */
  isPublic(path: string, request: Request): boolean {
    return this.#isOpen(path) || (this.#isOpenToAgents(path) && hasAgentToken(request))
  }

  /** Whether a public address answers more to a user. */
  isForUsersToo(path: string): boolean {
    return this.#forUsersToo.has(path)
  }

  /** Whether a path, or the pattern of a route, is for programs: it answers in JSON, errors too. */
  isForPrograms(path: string): boolean {
    return this.#interface.test(path)
  }

  /** Whether a request is for a page, also for one that does not exist. */
  isForPage(request: Request, basePath: string): boolean {
    const path = innerPath(request, basePath)
    const wantsPage = (request.headers.get('accept') ?? '').includes('text/html')
    if (this.isForPrograms(path)) return wantsPage && this.#described.has(path)
    return wantsPage || this.#page.test(path)
  }
}

function isFor(scheme: Scheme): (route: RouteRules) => boolean {
  return ({ caller }) => CALLERS[caller].scheme === scheme
}

function isAnsweredByPage({ answers }: PageRules): boolean {
  return answers?.[200]?.content?.some(({ type }) => type === 'text/html') === true
}

function firstSegment({ path }: RouteRules): string {
  return path.split('/')[1] ?? ''
}

/** `api`; below an address that pages have too, one segment more. */
function startOf({ path }: RouteRules, pages: readonly string[]): string {
  const [, first = '', second = ''] = path.split('/')
  return pages.includes(first) ? `${first}/${second}` : first
}

function startingWith(segments: readonly string[]): RegExp {
  return new RegExp(`^/(${[...new Set(segments)].join('|')})(/|$)`)
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
