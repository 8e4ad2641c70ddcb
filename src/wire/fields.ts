import { z } from 'zod'
import { SAMPLE_NAMES } from '../core/sample-names.ts'
import type { Pagination } from '../core/page.ts'

/** Fields of many bodies, with the examples that the description of the interface shows. */
export const PipelineField = z.string().meta({ example: SAMPLE_NAMES.pipeline })
export const GroupField = z.string().meta({ example: SAMPLE_NAMES.group })
export const StageField = z.string().meta({ example: SAMPLE_NAMES.stage })
export const JobField = z.string().meta({ example: SAMPLE_NAMES.job })
export const UserField = z.string().meta({ example: 'admin' })
export const CounterField = z.int().meta({ example: 1 })
/** The counter of a run of a stage, which is text in the interface. */
export const StageCounterField = z.string().meta({ example: '1' })
/** Milliseconds since the UNIX epoch. */
export const TimeField = z.int().meta({ example: SAMPLE_NAMES.time })

/** A time with its zone, as ISO 8601 writes it. */
export const IsoTime = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/,
    'is not a time such as 2030-12-31T00:00:00Z',
  )
  .meta({ example: '2026-11-22T13:44:38.080Z' })

export const PaginationBody = z.object({
  offset: z.int().meta({ example: 0 }),
  total: z.int().meta({ example: 1 }),
  page_size: z.int().meta({ example: 10 }),
})
export type PaginationBody = z.infer<typeof PaginationBody>

export function renderPagination({ offset, total, pageSize }: Pagination): PaginationBody {
  return { offset, total, page_size: pageSize }
}
