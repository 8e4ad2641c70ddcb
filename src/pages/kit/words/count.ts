import { plural } from '../../../lib/plural.ts'

/** A number with its noun: `1 run`, `1,204 runs`. */
export function countOf(number: number, one: string, many?: string): string {
  return `${number.toLocaleString('en')} ${plural(number, one, many)}`
}
