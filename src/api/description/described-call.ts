import type { ErrorCode } from '../../core/errors.ts'
import { ErrorBody } from '../../wire/error-body.ts'
import { STATUS } from '../../http/errors.ts'
import type { RouteAddresses } from '../route-addresses.ts'
import { fillPattern, nameOf, type RouteRules } from '../definition/route-rules.ts'
import { type Answer, CALLERS, type Operation, type Parameter } from '../definition/operation.ts'
import { type DescribedExample, describeExample } from './example.ts'
import { z } from 'zod'
import { Digest } from '../../core/digest.ts'
import { CommitSha } from '../../core/revision.ts'
import { AgentUuid } from '../../wire/agent/registration.ts'
import { SAMPLE } from '../definition/sample.ts'

export interface MountedRoute {
  readonly method: string
  readonly path: string
}

/** A route as its callers see it. */
export interface DescribedCall {
  readonly method: string
  /** `/api/agents/{uuid}/enable`. */
  readonly path: string
  readonly operation: Operation
  readonly parameters: readonly (readonly [string, Parameter])[]
  /** Every answer by status, the errors of all kinds included. */
  readonly answers: readonly (readonly [number | string, Answer])[]
  /** Null for pages. */
  readonly example: DescribedExample | null
  /** `page`: made for people, and described as all pages are. `undescribed`: nobody has said what it does. */
  readonly kind: 'described' | 'page' | 'undescribed'
}

/** The rules of a route, with everything else that its callers can know of it where it is described. */
export type KnownRoute = RouteRules & Partial<Operation>

type DescribedRoute = RouteRules & Operation

/** The routes that are described: calls of programs, and what is answered beside the pages. */
export function describedRoutes(routes: readonly KnownRoute[]): readonly DescribedRoute[] {
  return routes.filter(isDescribed)
}

function isDescribed(route: KnownRoute): route is DescribedRoute {
  return route.answers !== undefined
}

const SAFE: readonly string[] = ['GET', 'HEAD']
const HTML = [{ type: 'text/html', schema: null }]
const ERROR = [{ type: 'application/json', schema: ErrorBody }]

/** Every page answers like this. */
const PAGE: Operation = {
  tag: 'Pages',
  summary: 'A page',
  caller: 'user',
  answers: { 200: { text: 'The page', content: HTML }, 304: { text: 'The page is known' } },
  example: {},
}
/** Pages such as the log-in answer everybody. */
const DOOR: Operation = { ...PAGE, caller: 'anybody' }
const UNDESCRIBED: Operation = {
  tag: 'Other',
  summary: '',
  caller: 'user',
  answers: {},
  example: {},
}

const Count = z.int().min(0)
const Name = z.string().min(1)

/** The meanings of path parameters, by their names, unless a call defines its own. */
const PARAMETERS: ReadonlyMap<string, Parameter> = new Map([
  ['digest', { text: 'A digest: the MD5 of the document', schema: Digest, example: SAMPLE.digest }],
  ['commit', { text: 'The commit of a revision', schema: CommitSha, example: SAMPLE.commit }],
  [
    'from',
    {
      text: 'The commit of the revision to compare from',
      schema: CommitSha,
      example: SAMPLE.before.commit,
    },
  ],
  [
    'to',
    { text: 'The commit of the revision to compare to', schema: CommitSha, example: SAMPLE.commit },
  ],
  ['offset', { text: 'How many to skip', schema: Count, example: '0' }],
  ['uuid', { text: 'The uuid of an agent', schema: AgentUuid, example: SAMPLE.agent }],
  ['name', { text: 'Its name', schema: Name, example: SAMPLE.pipeline }],
  ['pipeline', { text: 'The name of a pipeline', schema: Name, example: SAMPLE.pipeline }],
  ['stage', { text: 'The name of a stage', schema: Name, example: SAMPLE.stage }],
  ['job', { text: 'The name of a job', schema: Name, example: SAMPLE.job }],
  ['counter', { text: 'The counter of a run of the pipeline', schema: Count, example: '1' }],
  [
    'pipelineCounter',
    { text: 'The counter of a run of the pipeline', schema: Count, example: '1' },
  ],
  ['stageCounter', { text: 'The counter of a run of the stage', schema: Count, example: '1' }],
  [
    'path',
    {
      text: 'A path below the folder of the job; it may have slashes',
      schema: Name,
      example: 'cruise-output/console.log',
    },
  ],
])

/** The routes of a service with what is known of them. A page needs no description of its own. */
export function describeRoutes(
  routes: readonly MountedRoute[],
  known: readonly KnownRoute[],
  addresses: Pick<RouteAddresses, 'isForPrograms'>,
): readonly DescribedCall[] {
  const operations = new Map(describedRoutes(known).map((route) => [nameOf(route), route]))
  const callers = new Map(known.map((route) => [nameOf(route), route.caller]))
  return routes.map(({ method, path }) => {
    const name = `${method} ${path}`
    const operation = operations.get(name)
    const isForPrograms = addresses.isForPrograms(path)
    const page = callers.get(name) === 'anybody' ? DOOR : PAGE
    const given = operation ?? (isForPrograms ? UNDESCRIBED : page)
    const [shown, parameters] = [pathOf(path, given), parametersOf(path, given)]
    return {
      method,
      path: shown,
      operation: given,
      parameters,
      answers: answersOf(method, given, { isForPrograms }),
      example: operation ? describeExample(filled(shown, parameters), operation) : null,
      kind: operation ? 'described' : isForPrograms ? 'undescribed' : 'page',
    }
  })
}

/** `/x/:file{.+\.xml}` becomes `/x/{file}.xml`. */
function pathOf(pattern: string, { rename = {} }: Operation): string {
  return fillPattern(pattern, (name, ending) => `{${rename[name] ?? name}}${ending}`)
}

/** The path with an example for each of its parameters. */
function filled(path: string, parameters: DescribedCall['parameters']): string {
  return parameters.reduce(
    (text, [name, { example = '' }]) => text.replace(`{${name}}`, example),
    path,
  )
}

/** The parameters in a pattern, by the names that callers know. */
export function parametersOf(
  pattern: string,
  { rename = {}, parameters = {} }: Operation,
): (readonly [string, Parameter])[] {
  return [...pattern.matchAll(/:(\w+)/g)].map(([, given = '']) => {
    const name = rename[given] ?? given
    return [name, parameters[name] ?? PARAMETERS.get(name) ?? { text: '', schema: Name }] as const
  })
}

function answersOf(
  method: string,
  operation: Operation,
  { isForPrograms }: { readonly isForPrograms: boolean },
): (readonly [number | string, Answer])[] {
  const content = isForPrograms ? ERROR : HTML
  const answers = new Map<number | string, Answer>()
  for (const [status, reasons] of errorsOf(method, operation)) {
    answers.set(status, { text: [...reasons].join('; '), content })
  }
  for (const [status, answer] of Object.entries(operation.answers)) {
    answers.set(Number(status), answer)
  }
  if (operation === PAGE || operation === DOOR) {
    answers.set('3XX', { text: 'To another page' })
    answers.set('4XX', { text: 'A page with the reason', content: HTML })
  }
  return [...answers].toSorted(([a], [b]) => String(a).localeCompare(String(b)))
}

/** Why a call may be refused, by status. */
function errorsOf(
  method: string,
  { caller, body, errors = [] }: Operation,
): Map<number, Set<string>> {
  const { scheme, errors: common } = CALLERS[caller]
  const reasons = new Map<number, Set<string>>()
  const add = (status: number, reason: string) =>
    reasons.set(status, (reasons.get(status) ?? new Set()).add(reason))
  if (scheme === 'user' || scheme === 'both') {
    add(401, 'credentials are missing or wrong')
    add(429, 'too many log-ins failed, or are under way; `Retry-After` says when to try again')
    if (!SAFE.includes(method)) add(403, 'a browser sent it from another site')
  }
  const ofBody: readonly ErrorCode[] = body === undefined ? [] : ['coding-unsupported']
  const codes: readonly ErrorCode[] = [...common, ...ofBody, ...errors, 'unavailable']
  for (const code of codes) add(STATUS[code], `\`${code}\``)
  add(500, 'the server failed: the log has the reason')
  return reasons
}
