import type { ErrorBody } from '../../wire/error-body.ts'

/** The words of the server, with the place and the reason of each error, and whom a change needs. */
export function linesOfRefusal({ message, errors = [], needs = [] }: ErrorBody): readonly string[] {
  const places = errors.map((error) => {
    const place = placeOf(error)
    return place === '' ? error.message : `${place}: ${error.message}`
  })
  return [
    message,
    ...places.filter((line) => line !== message),
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
