import type { TokenScope } from '../../core/principal.ts'
import type { CallerKind, Operation } from './operation.ts'

/** The audit name of a call that changes nothing an operator answers for: noted only when refused. */
export const QUIET = Symbol('quiet')
export type AuditName = string | typeof QUIET

/** The rules of a route, for programs or for people. */
export interface RouteRules extends Pick<Partial<Operation>, 'tag' | 'errors'> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A pattern of Hono: `/api/agents/:uuid/enable`. */
  readonly path: string
  readonly caller: CallerKind
  /** The name of the action in the audit log; method and pattern when absent. */
  readonly audit?: AuditName
  /** Whether a call that needs no user answers more to one who logs in. */
  readonly knowsUsers?: boolean
  /** Whether the answer is held until there is something to say, and ends with a caller that goes away. */
  readonly isHeld?: boolean
  /** The scope that a token needs, where it does not follow from the rest. */
  readonly scope?: TokenScope
  /** The server that has to answer; any when absent. */
  readonly needs?: Needs
  /** Whether a body means nothing to it and is not read. */
  readonly ignoresBody?: boolean
}

/**
 * The leader has to answer: always, for some requests, or, as long as it can be reached, because it knows
 * more.
 */
export type Needs = 'leader' | 'leader-if-reachable' | ((request: Request) => boolean)

/** The name of a route in counts, logs and the description: its method and pattern. */
export function nameOf({ method, path }: Pick<RouteRules, 'method' | 'path'>): string {
  return `${method} ${path}`
}

/** A pattern with a text in the place of each parameter, of which `ending` is such as `.xml` of `:file{.+\.xml}`. */
export function fillPattern(
  pattern: string,
  textOf: (name: string, ending: string) => string,
): string {
  return pattern.replaceAll(/:(\w+)(?:\{([^}]*)\})?/g, (_all, name: string, expression?: string) =>
    textOf(name, /\\(\.\w+)$/.exec(expression ?? '')?.[1] ?? ''),
  )
}
