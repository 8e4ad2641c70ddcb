/** More revisions than a list of them has places for; a row of it takes four bytes. */
const MAX_NUMBER = 2 ** 28

/**
 * The row of the revision with a number: of the newest, the lowest. SQLite fills its pages only where rows
 * come in their order, and the walk begins with the newest revisions. Nor does FTS5 skip rows in
 * descending order.
 */
export function rowIdOf(number: number): number {
  return MAX_NUMBER - Math.min(number, MAX_NUMBER)
}

export function numberOfRowId(row: number): number {
  return MAX_NUMBER - row
}
