import { SOURCE_KINDS, type SourceKind } from '../../core/source-address.ts'
import type { Attribute } from '../schema/attribute.ts'
import { SOURCE_ELEMENTS, type SourceRow } from '../schema/materials.ts'
import { type NewElement, newCdata, newElement } from '../edit/new-element.ts'
import type { RequestForm } from './request-form.ts'

export interface MaterialRequest {
  readonly scm: SourceKind
  /** The values that are given and no defaults, by attribute or child element. A password is in the clear. */
  readonly values: ReadonlyMap<string, string>
}

/** Null when the scm is not known; its problem is in the form. */
export function readMaterialRequest(form: RequestForm): MaterialRequest | null {
  const scm = form.choice('scm', SOURCE_KINDS)
  const url = form.required('url', scm ? ` for scm ${scm}` : '')
  if (!scm) return null
  const { address } = SOURCE_ELEMENTS[scm]
  const own = parametersOf(scm)
  const foreign = SOURCE_KINDS.flatMap(parametersOf).filter((name) => !own.includes(name))
  form.exclude([...new Set(foreign)], `does not belong to scm ${scm}`)
  const values = new Map<string, string>([[address, url]])
  for (const name of own) {
    const value = readValue(form, scm, name)
    if (value !== null && value !== attributeOf(scm, name).facts.absent) values.set(name, value)
  }
  return { scm, values }
}

/** The element of a material, with its password sealed. */
export function materialElement(
  { scm, values }: MaterialRequest,
  seal: (secret: string) => string,
): NewElement {
  const { texts = {} }: SourceRow = SOURCE_ELEMENTS[scm]
  const attributes: Record<string, string> = {}
  const children: NewElement[] = []
  for (const [name, value] of values) {
    if (name in texts) children.push(newElement(name, {}, [newCdata(value)]))
    else if (name === 'password') attributes['encryptedPassword'] = seal(value)
    else attributes[name] = value
  }
  return newElement(scm, attributes, children)
}

/** The parameters of an scm beside `url`, which all of them need. */
function parametersOf(scm: SourceKind): readonly string[] {
  const { address, asked }: SourceRow = SOURCE_ELEMENTS[scm]
  return asked.filter((name) => name !== address)
}

function attributeOf(scm: SourceKind, name: string): Attribute {
  const { attributes, texts = {} }: SourceRow = SOURCE_ELEMENTS[scm]
  const attribute = attributes[name] ?? texts[name]
  if (!attribute) throw new Error(`the schema has no ${name} of ${scm}`)
  return attribute
}

/** An empty user name is one, as it was for the original; an empty password is none. */
function readValue(form: RequestForm, scm: SourceKind, name: string): string | null {
  const { type, required } = attributeOf(scm, name).facts
  if (type.values) return form.choice(name, ['false', 'true'])
  // Browsers send a text of several lines with a carriage return in each.
  if (required !== 'nowhere') return form.required(name, ` for scm ${scm}`).replace(/\r\n?/g, '\n')
  return name === 'username' ? form.exact(name) : form.optional(name)
}
