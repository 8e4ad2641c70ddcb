import { malformed } from '../../http/parameters.ts'
import { kindOf } from '../../document/form/form-edits.ts'
import type { FormShape, FormList, RowKind } from '../../document/form/form-shape.ts'
import {
  type FormRow,
  type FormValues,
  NO_VALUES,
  readValues,
} from '../../document/form/form-values.ts'

/** A change of the rows of a form, made by a button of it. */
export interface RowChange {
  readonly values: FormValues
  /** The name of the row that it is about, which gets the focus. */
  readonly focus: string
}

/** Lists whose new parents come with a first row. */
const WITH_FIRST_ROW: readonly string[] = ['jobs', 'tasks']

/**
 * Adds a row at the end of a list, empty but for its text. Without a kind, it is the first that the list
 * has.
 *
 * @throws {ServiceError} `malformed-request` for a list that the form does not have.
 */
export function addRow(
  shape: FormShape,
  values: FormValues,
  path: string,
  { kind = null, text = '' }: { readonly kind?: string | null; readonly text?: string } = {},
): RowChange {
  let at = 0
  const changed = changeRows(shape, values, path.split('.'), (rows, part) => {
    at = rows.length
    const row = kind === null ? part.rows[0] : kindOf(part, { kind })
    if (!row) throw malformed(`"${kind}" is not a kind of row of ${path}`, 'action')
    const added = newRow(row)
    return [...rows, text === '' ? added : { ...added, fields: new Map([['text', text]]) }]
  })
  return { values: changed, focus: `${path}.${at}` }
}

function newRow({ kind, shape }: RowKind): FormRow {
  const values = readValues(shape, null)
  const lists = new Map(values.lists)
  for (const part of shape.parts) {
    const [first] = part.kind === 'list' && WITH_FIRST_ROW.includes(part.name) ? part.rows : []
    if (first) lists.set(part.name, [newRow(first)])
  }
  return { kind, from: null, fields: values.fields, sections: values.sections, lists }
}

/** @throws {ServiceError} `malformed-request` for a row that the form does not have. */
export function removeRow(shape: FormShape, values: FormValues, path: string): RowChange {
  const { list, n } = rowAt(path)
  const changed = changeRows(shape, values, list.split('.'), (rows) => rows.toSpliced(n, 1))
  return { values: changed, focus: list }
}

/** Moves a row before the one above it. */
export function raiseRow(shape: FormShape, values: FormValues, path: string): RowChange {
  const { list, n } = rowAt(path)
  const to = Math.max(0, n - 1)
  const changed = changeRows(shape, values, list.split('.'), (rows) => {
    const row = rows[n]
    return row ? rows.toSpliced(n, 1).toSpliced(to, 0, row) : rows
  })
  return { values: changed, focus: `${list}.${to}` }
}

function rowAt(path: string): { readonly list: string; readonly n: number } {
  const dot = path.lastIndexOf('.')
  return { list: path.slice(0, dot), n: Number(path.slice(dot + 1)) }
}

function changeRows(
  shape: FormShape,
  values: FormValues,
  [name = '', ...rest]: readonly string[],
  change: (rows: readonly FormRow[], part: FormList) => readonly FormRow[],
): FormValues {
  const part = shape.parts.find((each) => each.name === name)
  if (part?.kind === 'section') {
    const inner = values.sections.get(name) ?? NO_VALUES
    const changed = changeRows(part.shape, inner, rest, change)
    return { ...values, sections: new Map([...values.sections, [name, changed]]) }
  }
  if (part?.kind !== 'list') throw malformed(`The form has no list ${name}`, 'action')
  const rows = values.lists.get(name) ?? []
  const [n, ...below] = rest
  const changed =
    n === undefined
      ? change(rows, part)
      : rows.map((row, at) => {
          const kind = kindOf(part, row)
          if (at !== Number(n) || !kind) return row
          return { kind: row.kind, from: row.from, ...changeRows(kind.shape, row, below, change) }
        })
  return { ...values, lists: new Map([...values.lists, [name, changed]]) }
}
