import { malformedRequest } from './errors.ts'

export const PAGE_SIZE = 10

export interface Pagination {
  /** The number of skipped items. */
  readonly offset: number
  /** The number of all items. */
  readonly total: number
  readonly pageSize: number
}

/** Part of a history, newest first. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly pagination: Pagination
}

export function pageOf<Item>(
  items: readonly Item[],
  { offset, total }: { readonly offset: number; readonly total: number },
): Page<Item> {
  return { items, pagination: { offset, total, pageSize: PAGE_SIZE } }
}

/** The items of the page at an offset, or of the last page of a list that has become shorter, with the offset of that. */
export function itemsAt<Item>(
  all: readonly Item[],
  { offset: asked, pageSize }: Pick<Pagination, 'offset' | 'pageSize'>,
): { readonly items: readonly Item[]; readonly offset: number } {
  const last = Math.max(0, Math.ceil(all.length / pageSize) - 1) * pageSize
  const offset = asked < all.length ? asked : last
  return { items: all.slice(offset, offset + pageSize), offset }
}

/**
 * A number of items to skip. One that is too large to be exact is beyond the end of any list, and
 * stays there.
 *
 * @throws {ServiceError} `malformed-request` when the text is not a whole number from 0 up.
 */
export function parseOffset(text: string): number {
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
  throw malformedRequest(`The offset ${text} is not a whole number from 0 up`, 'offset')
}
