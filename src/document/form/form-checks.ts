import type { FieldPart, FormShape, FormList } from './form-shape.ts'
import { kindOf } from './form-edits.ts'
import {
  type FormRow,
  type FormValues,
  isBlank,
  itemsOf,
  NO_VALUES,
  readValues,
  SEALED,
  sectionElement,
  STORED,
} from './form-values.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

export interface FieldProblem {
  /** The name of the field, such as `stage.0.name`. */
  readonly path: string
  readonly message: string
}

/**
 * The values that the schema does not take, as far as they were typed: what the document has already
 * is for its own check.
 */
export function checkValues(
  shape: FormShape,
  element: XmlElement | null,
  values: FormValues,
): FieldProblem[] {
  return [...problemsIn(shape, element, values, '')]
}

function* problemsIn(
  shape: FormShape,
  element: XmlElement | null,
  values: FormValues,
  above: string,
): Generator<FieldProblem> {
  const before = element && readValues(shape, element)
  for (const part of shape.parts) {
    const path = `${above}${part.name}`
    if (part.kind === 'section') {
      const section = values.sections.get(part.name) ?? NO_VALUES
      const child = element && sectionElement(element, part.name)
      if (isBlank(part.shape, section)) continue
      yield* problemsIn(part.shape, child, section, `${path}.`)
    } else if (part.kind === 'list') {
      const items = element === null ? [] : itemsOf(element, part)
      for (const [n, row] of (values.lists.get(part.name) ?? []).entries()) {
        const item = row.from === null ? null : (items[row.from]?.item ?? null)
        yield* problemsOfRow(part, row, item, `${path}.${n}.`)
      }
    } else {
      const message = problemOf(part, values, before)
      if (message !== null) yield { path, message }
    }
  }
}

function* problemsOfRow(part: FormList, row: FormRow, item: XmlElement | null, path: string) {
  const kind = kindOf(part, row)
  if (kind) yield* problemsIn(kind.shape, item, row, path)
}

function problemOf(
  part: FieldPart,
  { fields }: FormValues,
  before: FormValues | null,
): string | null {
  const { name, label, type, required } = part
  if (part.kind === 'secret') {
    const isThere = [SEALED, STORED].some((of) => (fields.get(name + of) ?? '') !== '')
    return isThere || !required ? null : `Enter the ${lowered(label)}`
  }
  const value = fields.get(name) ?? ''
  if (before !== null && before.fields.get(name) === value) return null
  if (value === '') return required ? `Enter the ${lowered(label)}` : null
  return type.accepts(value) ? null : `The ${lowered(label)} must ${type.must}`
}

function lowered(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label
}
