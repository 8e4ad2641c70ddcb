import { z } from 'zod'
import type { Pagination } from '../core/page.ts'

export const PaginationBody = z.object({
  offset: z.int(),
  total: z.int(),
  page_size: z.int(),
})
export type PaginationBody = z.infer<typeof PaginationBody>

export function renderPagination({ offset, total, pageSize }: Pagination): PaginationBody {
  return { offset, total, page_size: pageSize }
}
