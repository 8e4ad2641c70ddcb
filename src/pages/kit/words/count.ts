/** A number with its noun: `1 run`, `1,204 runs`. */
export function countOf(number: number, one: string, many?: string): string {
  return `${number.toLocaleString('en')} ${plural(number, one, many)}`
}

/** The form of a word that agrees with a number. The plural of most words adds an `s`. */
export function plural(number: number, one: string, many = `${one}s`): string {
  return number === 1 ? one : many
}
