import { z } from 'zod'
import type { Pagination } from '../core/page.ts'

export const PaginationBody = z.object({
  offset: z.int().meta({ example: 0 }),
  total: z.int().meta({ example: 1 }),
  page_size: z.int().meta({ example: 10 }),
})
export type PaginationBody = z.infer<typeof PaginationBody>

export function renderPagination({ offset, total, pageSize }: Pagination): PaginationBody {
  return { offset, total, page_size: pageSize }
}
