import { parseOffset } from '../../core/page.ts'
import { AGENT_COLUMNS, type AgentColumn } from './agent-order.ts'
import type { AgentsQuery } from './agents-page.ts'
import { malformed } from '../../http/parameters.ts'
import type { Query } from '../kit/links.ts'

/** @throws {ServiceError} `malformed-request` */
export function parseAgentsQuery(given: Readonly<Record<string, string>>): AgentsQuery {
  const { q = '', sort = '', offset = '' } = given
  const isDescending = sort.startsWith('-')
  return {
    filter: q.trim(),
    order: { column: parseColumn(sort.slice(isDescending ? 1 : 0)), isDescending },
    offset: offset === '' ? 0 : parseOffset(offset),
  }
}

/** Renders the query as parameters of an address. */
export function agentsQueryOf({ filter, order, offset }: AgentsQuery): Query {
  const { column, isDescending } = order
  const sort = isDescending ? `-${column}` : column
  return { q: filter, sort: sort === 'name' ? '' : sort, offset: offset === 0 ? null : offset }
}

function parseColumn(text: string): AgentColumn {
  if (text === '') return 'name'
  const column = AGENT_COLUMNS.find((each) => each === text)
  if (column !== undefined) return column
  throw malformed(`"${text}" is not a column: ${AGENT_COLUMNS.join(', ')}`, 'sort')
}
