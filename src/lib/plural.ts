/** The form of a word that agrees with a number. The plural of most words adds an `s`. */
export function plural(number: number, one: string, many = `${one}s`): string {
  return number === 1 ? one : many
}
