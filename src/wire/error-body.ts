import { z } from 'zod'

/** One thing that is wrong, and its place. */
export const ProblemBody = z.object({
  message: z.string(),
  path: z.string().optional(),
  line: z.int().optional(),
  column: z.int().optional(),
})

/** The people whose decision a change needs that the caller may not make alone. */
const NeedBody = z.object({
  rule: z.string(),
  of: z.array(z.string()).readonly(),
  reason: z.string().optional(),
  until: z.string().optional(),
})

/** The body of every error answer. */
export const ErrorBody = z.object({
  message: z.string(),
  errors: z.array(ProblemBody).optional(),
  needs: z.array(NeedBody).readonly().optional(),
  /** Where to propose the change. */
  propose: z.string().optional(),
})
export type ErrorBody = z.infer<typeof ErrorBody>

/** The words of the server, with the place and the reason of each error, and whom a change needs. */
export function linesOfError({ message, errors = [], needs = [] }: ErrorBody): readonly string[] {
  const places = errors.map((error) => {
    const place = placeOf(error)
    return place === '' ? error.message : `${place}: ${error.message}`
  })
  return [
    ...(errors.some((error) => error.message === message) ? [] : [message]),
    ...places,
    ...needs.map(({ rule, of, reason, until }) => {
      const ends = until === undefined ? '' : ` until ${until}`
      const why = reason === undefined || reason === '' ? '' : `: ${reason}`
      return `${rule} needs ${of.join(', ')}${ends}${why}`
    }),
  ]
}

function placeOf({ path, line, column }: NonNullable<ErrorBody['errors']>[number]): string {
  const at = line === undefined ? '' : `line ${line}${column === undefined ? '' : `:${column}`}`
  return [path ?? '', at].filter((part) => part !== '').join(' ')
}
