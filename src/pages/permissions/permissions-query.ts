import { parseOffset } from '../../core/page.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import type { Query } from '../kit/links.ts'
import type { TableQuery } from '../work/permissions/permissions-table.ts'

/** The query of the page. */
export interface PermissionsQuery extends TableQuery {
  /** The name of a revision, as in addresses of snapshots. */
  readonly revision: string
  /** The earlier revision whose difference to it is asked for; null for the table. */
  readonly from: string | null
}

/** @throws {ServiceError} `malformed-request` */
export function parsePermissionsQuery(given: Readonly<Record<string, string>>): PermissionsQuery {
  const { revision = '', from = '', q = '', groups = '', group = '' } = given
  return {
    revision: revision.trim() || 'current',
    from: from.trim() || null,
    people: q,
    groups,
    group: group || null,
    offset: parseOffset(given['offset'] ?? '0'),
    column: parseWholeNumber(given['column'] ?? '0', 'column'),
  }
}

/** Renders the query, with what is to be another, as parameters of an address. */
export function permissionsQueryOf(
  query: PermissionsQuery,
  other: Partial<PermissionsQuery> = {},
): Query {
  const { revision, from, people, groups, group, offset, column } = { ...query, ...other }
  return {
    revision: revision === 'current' ? null : revision,
    from,
    q: people,
    groups,
    group,
    offset: offset || null,
    column: column || null,
  }
}
