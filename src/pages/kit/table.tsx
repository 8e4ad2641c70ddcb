import type { Child } from 'hono/jsx'
import { malformed } from '../../http/parameters.ts'

/** The order of the rows of a list. */
export interface SortOrder<Column extends string> {
  readonly column: Column
  readonly isDescending: boolean
}

/** The order of the rows, and the address of another one. */
export interface Sorting<Name extends string> extends SortOrder<Name> {
  readonly to: (column: Name, isDescending: boolean) => string
}

export interface TableColumn<Name extends string = string> {
  readonly label: Child
  /** The label as text, where it is more than that. */
  readonly text?: string
  /** The name of a column that rows can be sorted by. */
  readonly name?: Name
  readonly class?: string
  /** Whether its cells are the heads of their rows. */
  readonly isHead?: boolean
  /** Whether a phone, which stacks the cells of a row, leaves out the label. */
  readonly isPlain?: boolean
}

export interface TableRow {
  readonly attributes?: Readonly<Record<string, string | undefined>>
  readonly cells: readonly Child[]
  /** The day that begins with it, on a table by days. */
  readonly day?: string | undefined
}

interface TableProps<Name extends string> {
  /** Names the table, and the region in which a wide one scrolls. */
  readonly label: string
  readonly columns: readonly (string | TableColumn<Name>)[]
  readonly class?: string
  /** The name of the rows on a page that updates itself. */
  readonly part?: string
  readonly sorting?: Sorting<Name>
  readonly rows: readonly TableRow[]
  /** Whether its rows are grouped by day: a script does so by the days of the reader. */
  readonly isByDay?: boolean
  /** Stands in place of a table without rows. */
  readonly empty?: Child
  /** Actions on the rows. */
  readonly children?: Child
}

/** Things of one kind, a row for each, or a sentence where there are none. */
export function Table<Name extends string = never>(props: TableProps<Name>) {
  const { label, sorting, rows, part, empty, children } = props
  if (rows.length === 0 && empty !== undefined) return <p class="card muted">{empty}</p>
  const columns = props.columns.map((column): TableColumn<Name> => {
    return typeof column === 'string' ? { label: column } : column
  })
  return (
    <div class="table-card">
      <div class="scroll" tabindex={0} role="region" aria-label={label}>
        <table class={`list ${props.class ?? ''}`} aria-label={label}>
          <thead>
            <tr>
              {columns.map((column) => (
                <ColumnHead column={column} sorting={sorting} />
              ))}
            </tr>
          </thead>
          <tbody data-part={part} data-days={props.isByDay === true ? '' : undefined}>
            {rows.map((row) => (
              <>
                {row.day !== undefined && (
                  <tr class="day">
                    <th colspan={columns.length} scope="rowgroup">
                      {row.day}
                    </th>
                  </tr>
                )}
                <Row columns={columns} row={row} />
              </>
            ))}
          </tbody>
        </table>
      </div>
      {children}
    </div>
  )
}

interface ColumnHeadProps<Name extends string> {
  readonly column: TableColumn<Name>
  readonly sorting: Sorting<Name> | undefined
}

/** A link that sorts by the column, or reverses the order. */
function ColumnHead<Name extends string>({ column, sorting }: ColumnHeadProps<Name>) {
  const { label, name } = column
  if (name === undefined || sorting === undefined) {
    return (
      <th scope="col" class={column.class}>
        {label}
      </th>
    )
  }
  const isSorted = sorting.column === name
  const { isDescending } = sorting
  const order = isDescending ? 'descending' : 'ascending'
  return (
    <th scope="col" class={column.class} aria-sort={isSorted ? order : undefined}>
      <a class="sort" href={sorting.to(name, isSorted && !isDescending)}>
        {label}
        {isSorted && <span aria-hidden="true">{isDescending ? ' ↓' : ' ↑'}</span>}
      </a>
    </th>
  )
}

/** The last cell reaches to the end of a row that has fewer cells than there are columns. */
function Row<Name extends string>(props: {
  readonly columns: readonly TableColumn<Name>[]
  readonly row: TableRow
}) {
  const { columns, row } = props
  const { attributes, cells } = row
  return (
    <tr {...attributes}>
      {cells.map((cell, n) => {
        const column = columns[n] ?? { label: '' }
        const rest = n === cells.length - 1 ? columns.length - n : 1
        const given = {
          class: column.class,
          colspan: rest > 1 ? rest : undefined,
          'data-label': column.isPlain === true || rest > 1 ? undefined : textOf(column),
        }
        if (column.isHead !== true) return <td {...given}>{cell}</td>
        return (
          <th scope="row" {...given}>
            {cell}
          </th>
        )
      })}
    </tr>
  )
}

function textOf<Name extends string>({ label, text }: TableColumn<Name>): string | undefined {
  return text ?? (typeof label === 'string' ? label : undefined)
}

/** Small facts below a caption: the first of each row is its head. */
export function FactTable({
  caption,
  rows,
}: {
  readonly caption: string
  readonly rows: readonly (readonly Child[])[]
}) {
  return (
    <table class="fact-table">
      <caption>{caption}</caption>
      <tbody>
        {rows.map(([head, ...cells]) => (
          <tr>
            <th scope="row">{head}</th>
            {cells.map((cell) => (
              <td>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
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
