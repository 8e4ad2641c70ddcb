import type { SnapshotQuery } from './snapshot-page.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import type { Query } from '../frame/links.ts'

export type SnapshotQueryText = SnapshotQuery

/** @throws {ServiceError} `malformed-request` */
export function parseSnapshotQuery(given: Readonly<Record<string, string>>): SnapshotQuery {
  const { line = '', find = '', blame } = given
  return {
    line: line === '' ? 1 : Math.max(1, parseWholeNumber(line, 'line')),
    find: find.slice(0, 200),
    blame: blame === '1',
  }
}

/** Renders the query as parameters of an address. */
export function snapshotQueryOf({ line, find, blame }: SnapshotQuery): Query {
  return { line: line > 1 ? line : null, find, blame: blame ? '1' : null }
}
