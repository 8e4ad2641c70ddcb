import {
  type DescribedCall,
  describedRoutes,
  describeRoutes,
} from '../../../../src/api/description/described-call.ts'
import { RouteAddresses } from '../../../../src/api/route-addresses.ts'
import { ROUTES } from '../../../../src/api/resources.ts'
import { PAGE_ROUTES } from '../../../../src/pages/pages-routes.ts'
import { firstAnswerOf } from '../../../../src/api/description/example.ts'
import type { CallerKind } from '../../../../src/api/definition/operation.ts'
import { SAMPLE } from '../../../../src/api/definition/sample.ts'
import type { Level } from '../secured-document.ts'
import { EXCEPTIONS } from './call-exceptions.ts'
import { PAGE_ROWS } from './page-rows.ts'
import type { PageRow, PermissionRow } from './permission-row.ts'

/** The users that a definition means. Calls with an agent's token look at no user. */
const LEVEL_OF: Readonly<Record<CallerKind, Level>> = {
  anybody: 'anybody',
  newAgent: 'anybody',
  agent: 'anybody',
  user: 'user',
  viewer: 'viewer',
  viewerOrAgent: 'viewer',
  operator: 'operator',
  approver: 'approver',
  groupAdministrator: 'group administrator',
  administrator: 'administrator',
  entityReader: 'administrator',
  planReader: 'administrator',
}

/** Values for the parameters of a page; only the pipeline and the first revision exist. */
const PLACES: Readonly<Record<string, string>> = {
  from: SAMPLE.before.commit,
  to: SAMPLE.commit,
  uuid: SAMPLE.agent,
  pipeline: SAMPLE.pipeline,
  stage: SAMPLE.stage,
  pipelineCounter: '1',
  stageCounter: '1',
  job: SAMPLE.job,
  kind: 'pipeline',
  name: SAMPLE.pipeline,
  time: '2030-01-01',
  number: '7',
}

const DESCRIBED = describedRoutes([...ROUTES, ...PAGE_ROUTES])
const CALLS = describeRoutes(DESCRIBED, DESCRIBED, new RouteAddresses(ROUTES, PAGE_ROUTES))

/** Every route of the service and who may call it, by the definitions of calls and the rows of pages. */
export const PERMISSIONS: readonly PermissionRow[] = [
  ...CALLS.flatMap(rowsOf),
  ...PAGE_ROWS.map(rowOfPage),
]

function rowsOf({ method, path, operation, example }: DescribedCall): PermissionRow[] {
  const call = `${method} ${path}`
  const [success] = firstAnswerOf(operation)
  const row: PermissionRow = {
    call,
    target: example?.target ?? '',
    may: LEVEL_OF[operation.caller],
    allowed: success,
    refused: operation.errors?.includes('not-authorized') === true ? 401 : 403,
    headers: example?.headers ?? {},
    body: example?.body?.text ?? null,
  }
  return [EXCEPTIONS[call] ?? {}].flat().map((exception) => ({ ...row, ...exception }))
}

function rowOfPage({ places, query = '', ...row }: PageRow): PermissionRow {
  const known = { ...PLACES, ...places }
  const [, path = ''] = row.call.split(' ')
  const target = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => known[name] ?? '')
  return { refused: 403, headers: {}, body: null, ...row, target: target + query }
}
