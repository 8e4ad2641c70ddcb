import { malformed } from '../../http/parameters.ts'

/** The order of the rows of a list. */
export interface SortOrder<Column extends string> {
  readonly column: Column
  readonly isDescending: boolean
}

/** The orders of a list as parameters of addresses: `name`, or `-name` for the descending one. */
export class SortOrders<Column extends string> {
  readonly #columns: readonly Column[]
  readonly #usual: SortOrder<Column>

  /** @param usual The order without a parameter. */
  constructor(columns: readonly Column[], usual: SortOrder<Column>) {
    this.#columns = columns
    this.#usual = usual
  }

  /** @throws {ServiceError} `malformed-request` */
  parse(text: string): SortOrder<Column> {
    if (text === '') return this.#usual
    const isDescending = text.startsWith('-')
    const name = text.slice(isDescending ? 1 : 0)
    const column = this.#columns.find((each) => each === name)
    if (column !== undefined) return { column, isDescending }
    throw malformed(`"${name}" is not a column: ${this.#columns.join(', ')}`, 'sort')
  }

  render({ column, isDescending }: SortOrder<Column>): string {
    const usual = this.#usual
    if (column === usual.column && isDescending === usual.isDescending) return ''
    return isDescending ? `-${column}` : column
  }
}

export type SortKey = string | number

export function compareKeys(one: SortKey, other: SortKey): number {
  return one < other ? -1 : one > other ? 1 : 0
}
