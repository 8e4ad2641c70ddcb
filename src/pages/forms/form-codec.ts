import { malformed } from '../../http/parameters.ts'
import { type Form, textField } from '../../http/request-body.ts'
import { kindOf } from '../../document/form/form-edits.ts'
import type { FormShape, FormList } from '../../document/form/form-shape.ts'
import { forAddress, plainSecretIn, replaced } from '../../document/secrets/address-secret.ts'
import {
  type FormRow,
  type FormValues,
  isFlag,
  NO_VALUES,
  SEALED,
  STORED,
} from '../../document/form/form-values.ts'

/** Begins the name of each field that is about the entity. */
export const FIELD = 'f.'
/** Ends the names of fields in which secrets are typed. */
export const TYPED = '.secret'
/** Ends the names of fields that say that a stored secret goes. */
export const REMOVED = '.remove'
const KIND = '.is'
const FROM = '.from'

/**
 * The values that a form sends, upon those that the document has.
 *
 * @throws {ServiceError} `malformed-request` for rows that the document does not have.
 */
export function decodeForm(form: Form, shape: FormShape, before: FormValues): FormValues {
  return decode({ form, shape, before, path: FIELD })
}

interface Decoded {
  readonly form: Form
  readonly shape: FormShape
  readonly before: FormValues
  readonly path: string
}

function decode({ form, shape, before, path }: Decoded): FormValues {
  const fields = new Map<string, string>()
  const sections = new Map<string, FormValues>()
  const lists = new Map<string, readonly FormRow[]>()
  for (const part of shape.parts) {
    const { name } = part
    const at = path + name
    if (part.kind === 'section') {
      const inner = before.sections.get(name) ?? NO_VALUES
      sections.set(name, decode({ form, shape: part.shape, before: inner, path: `${at}.` }))
    } else if (part.kind === 'list') {
      lists.set(name, rowsIn(form, part, { before: before.lists.get(name) ?? [], path: at }))
    } else if (part.kind === 'secret') {
      const isRemoved = textField(form, at + REMOVED) === 'true'
      fields.set(name, textField(form, at + TYPED) ?? '')
      fields.set(name + SEALED, textField(form, at + SEALED) ?? '')
      fields.set(name + STORED, isRemoved ? '' : (before.fields.get(name + STORED) ?? ''))
    } else {
      const sent = textField(form, at)
      const otherwise = isFlag(part) ? 'false' : (before.fields.get(name) ?? '')
      fields.set(name, sent?.replaceAll(/\r\n?/g, '\n') ?? otherwise)
    }
  }
  return { fields, sections, lists }
}

interface RowsBefore {
  readonly before: readonly FormRow[]
  readonly path: string
}

function rowsIn(form: Form, part: FormList, { before, path }: RowsBefore): FormRow[] {
  const rows: FormRow[] = []
  const taken = new Set<number>()
  for (let n = 0; ; n += 1) {
    const at = `${path}.${n}`
    const kind = textField(form, at + KIND)
    if (kind === null) return rows
    const known = kindOf(part, { kind })
    if (!known) throw malformed(`"${kind}" is not a kind of row of ${path}`, at)
    const from = fromOf(textField(form, at + FROM) ?? '', before.length, at)
    if (from !== null && taken.has(from)) throw malformed(`${at} is in the form twice`, at)
    if (from !== null) taken.add(from)
    const own = from === null ? NO_VALUES : (before[from] ?? NO_VALUES)
    rows.push({
      kind,
      from,
      ...decode({ form, shape: known.shape, before: own, path: `${at}.` }),
    })
  }
}

function fromOf(text: string, count: number, path: string): number | null {
  if (text === '') return null
  const from = /^\d{1,6}$/.test(text) ? Number(text) : count
  if (from >= count) throw malformed(`There is no row ${text} that ${path} could be`, path)
  return from
}

/** The fields that a form would send for these values, without secrets that were typed. */
export function encodeForm(shape: FormShape, values: FormValues): (readonly [string, string])[] {
  return [...encode(shape, values, FIELD)]
}

function* encode(
  shape: FormShape,
  values: FormValues,
  path: string,
): Generator<readonly [string, string]> {
  for (const part of shape.parts) {
    const { name } = part
    const at = path + name
    if (part.kind === 'section') {
      yield* encode(part.shape, values.sections.get(name) ?? NO_VALUES, `${at}.`)
    } else if (part.kind === 'list') {
      for (const [n, row] of (values.lists.get(name) ?? []).entries()) {
        yield* rowFields(row, `${at}.${n}`)
        const kind = kindOf(part, row)
        if (kind) yield* encode(kind.shape, row, `${at}.${n}.`)
      }
    } else if (part.kind === 'secret') {
      yield [at + SEALED, values.fields.get(name + SEALED) ?? '']
      if (isRemoval(values, name)) yield [at + REMOVED, 'true']
    } else {
      yield [at, values.fields.get(name) ?? '']
    }
  }
}

/** The fields that say which row of the document it is. */
export function rowFields({ kind, from }: FormRow, path: string): (readonly [string, string])[] {
  return [
    [path + KIND, kind],
    [path + FROM, from === null ? '' : String(from)],
  ]
}

function isRemoval({ fields }: FormValues, name: string): boolean {
  return fields.get(name + STORED) === '' && fields.get(name + SEALED) === ''
}

/** The values with what was typed as a secret in its sealed form, also in addresses. */
export function sealTyped(
  shape: FormShape,
  values: FormValues,
  seal: (secret: string) => string,
): FormValues {
  const fields = new Map(values.fields)
  const sections = new Map(values.sections)
  const lists = new Map(values.lists)
  for (const part of shape.parts) {
    const { name } = part
    if (part.kind === 'section') {
      sections.set(name, sealTyped(part.shape, values.sections.get(name) ?? NO_VALUES, seal))
    } else if (part.kind === 'list') {
      const rows = (values.lists.get(name) ?? []).map((row) => {
        const kind = kindOf(part, row)
        if (!kind) return row
        return { kind: row.kind, from: row.from, ...sealTyped(kind.shape, row, seal) }
      })
      lists.set(name, rows)
    } else if (part.kind === 'secret') {
      const typed = values.fields.get(name) ?? ''
      if (typed !== '') fields.set(name + SEALED, seal(typed))
      fields.delete(name)
    } else if (name === 'url') {
      const address = values.fields.get(name) ?? ''
      const span = plainSecretIn(address)
      if (span) {
        const sealed = forAddress(seal(address.slice(span.start, span.end)))
        fields.set(name, replaced(address, span, sealed))
      }
    }
  }
  return { fields, sections, lists }
}
