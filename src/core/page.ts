import { ServiceError } from './errors.ts'

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

/** @throws {ServiceError} `malformed-request` when the text is not a whole number from 0 up. */
export function parseOffset(text: string): number {
  const offset = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(offset)) return offset
  const message = `The offset ${text} is not a whole number from 0 up`
  throw new ServiceError('malformed-request', message, {
    problems: [{ message, path: 'offset' }],
  })
}
