import { parseOffset } from '../../core/page.ts'
import { AGENT_ORDERS } from './agent-order.ts'
import type { AgentsQuery } from './agents-page.ts'
import type { Query } from '../kit/links.ts'

/** @throws {ServiceError} `malformed-request` */
export function parseAgentsQuery(given: Readonly<Record<string, string>>): AgentsQuery {
  const { q = '', sort = '', offset = '' } = given
  return { filter: q.trim(), order: AGENT_ORDERS.parse(sort), offset: parseOffset(offset || '0') }
}

/** Renders the query as parameters of an address. */
export function agentsQueryOf({ filter, order, offset }: AgentsQuery): Query {
  return { q: filter, sort: AGENT_ORDERS.render(order), offset: offset || null }
}
