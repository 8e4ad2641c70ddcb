import type { ErrorBody } from './error-body.ts'

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
