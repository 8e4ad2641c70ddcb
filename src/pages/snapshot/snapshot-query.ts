import type { SnapshotPlace, SnapshotQuery } from './snapshot-page.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import type { Links, Query } from '../kit/links.ts'

/** @throws {ServiceError} `malformed-request` */
export function parseSnapshotQuery(given: Readonly<Record<string, string>>): SnapshotQuery {
  const { line = '', find = '', blame } = given
  return {
    line: line === '' ? null : Math.max(1, parseWholeNumber(line, 'line')),
    find: find.slice(0, 200),
    blame: blame === '1',
  }
}

/** Renders the query as parameters of an address. */
export function snapshotQueryOf({ line, find, blame }: SnapshotQuery): Query {
  return { line, find, blame: blame ? '1' : null }
}

/** The address of a snapshot by the number of its revision, which names no other one later. */
export function permanentAddress(
  links: Links,
  { revision }: Pick<SnapshotPlace, 'revision'>,
  query: SnapshotQuery,
): string {
  return links.snapshot(`r${revision.number}`, snapshotQueryOf(query))
}
