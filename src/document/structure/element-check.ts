import type { Findings } from './findings.ts'
import type { Shape, AttributeRule } from '../schema/vocabulary.ts'
import type { XmlElement, XmlAttribute } from '../xml/xml-tree.ts'
import { hint } from './nearest-name.ts'
import { shorten } from '../text/shown-text.ts'
import type { ValueType } from '../schema/value-types.ts'
import { elementText } from '../xml/xml-elements.ts'

export interface ElementCheck {
  readonly element: XmlElement
  readonly children: readonly XmlElement[]
  readonly shape: Shape
  /** The shape of the element in other schema versions, for a better message than an unknown name. */
  readonly elsewhere: Shape
  /** Whether the order of children counts here. */
  readonly ordered: boolean
  /** Whether what no schema knows is kept here. */
  readonly keepsUnknown: boolean
  readonly findings: Findings
}

const XSI = 'http://www.w3.org/2001/XMLSchema-instance'

/** Checks the attributes of one element against its shape. */
export function checkAttributes(inspection: ElementCheck): void {
  const { element, shape, findings } = inspection
  for (const attribute of element.attributes.values()) {
    const rule = shape.attributes.get(attribute.name)
    if (rule) checkValue(attribute, rule, inspection)
    else if (!inspection.keepsUnknown && !isSchemaInstance(attribute, element)) {
      refuse(attribute, inspection)
    }
  }
  for (const name of shape.required) {
    if (element.attributes.has(name)) continue
    findings.add(element, `${element.name} needs the attribute "${name}"`)
  }
}

function checkValue(
  { name, value, valueSpan }: XmlAttribute,
  { type }: AttributeRule,
  { element, findings }: ElementCheck,
): void {
  if (type.accepts(value)) return
  const subject = `attribute "${name}" of ${element.name} is "${shorten(value)}"`
  findings.add(element, `${subject}; it must ${type.must}`, valueSpan.start)
}

/** The declaration of the schema, which documents carry and nobody reads. */
function isSchemaInstance({ name, value }: XmlAttribute, element: XmlElement): boolean {
  if (name === 'xmlns:xsi') return value === XSI
  const isDeclared = element.name === 'cruise' && element.attributes.has('xmlns:xsi')
  return isDeclared && name === 'xsi:noNamespaceSchemaLocation'
}

function refuse({ name, span }: XmlAttribute, inspection: ElementCheck): void {
  const { element, shape, elsewhere, findings } = inspection
  const subject = `attribute "${shorten(name)}" of ${element.name}`
  const message = elsewhere.attributes.has(name)
    ? `${subject} does not exist at this schemaVersion`
    : () => `unknown ${subject}${hint(name, shape.attributes.keys())}`
  findings.add(element, message, span.start)
}

/** Checks the text and the children of one element against its shape. */
export function checkContent(inspection: ElementCheck): void {
  const { shape, children, keepsUnknown } = inspection
  if (shape.text && children.length === 0) checkText(inspection, shape.text)
  else checkNoText(inspection)
  if (!keepsUnknown) checkKnown(inspection)
  checkCounts(inspection)
  if (inspection.ordered && shape.ordered) checkOrder(inspection)
}

function checkText({ element, findings }: ElementCheck, type: ValueType): void {
  const text = elementText(element)
  if (type.accepts(text)) return
  const subject = `the text of ${element.name} is "${shorten(text)}"`
  findings.add(element, `${subject}; it must ${type.must}`)
}

function checkNoText({ element, shape, findings }: ElementCheck): void {
  if (shape.text && shape.particles.length === 0) return
  const stray = element.children.find(
    (child) => child.kind === 'text' && /[^ \t\r\n]/.test(child.text),
  )
  if (!stray) return
  const offset = findings.firstInk(stray.span)
  findings.add(element, `text is not allowed in ${element.name}`, offset)
}

function checkKnown({ element, children, shape, elsewhere, findings }: ElementCheck): void {
  for (const child of children) {
    if (shape.children.has(child.name)) continue
    const subject = `element "${shorten(child.name)}" in ${element.name}`
    const message = elsewhere.children.has(child.name)
      ? `${subject} does not exist at this schemaVersion`
      : () => `unknown ${subject}${hint(child.name, shape.children.keys())}`
    findings.add(child, message)
  }
}

function checkCounts({ element, children, shape, keepsUnknown, findings }: ElementCheck): void {
  const mayStandFor = keepsUnknown && children.some(({ name }) => !shape.children.has(name))
  for (const { names, min, max } of shape.particles) {
    if (min === 0 && (max === Infinity || children.length === 0)) continue
    const standing = children.filter(({ name }) => names.includes(name))
    if (standing.length < min && !mayStandFor) {
      const least = max === 1 ? '' : 'at least '
      findings.add(element, `${element.name} needs ${least}${oneOf(names)}`)
    }
    for (const surplus of standing.slice(max)) {
      findings.add(surplus, `${element.name} may have only ${oneOf(names)}`)
    }
  }
}

/** Reports each element that comes after one that must follow it. */
function checkOrder({ children, shape, findings }: ElementCheck): void {
  let reached = 0
  let last = ''
  for (const child of children) {
    const place = shape.particles.findIndex(({ names }) => names.includes(child.name))
    if (place < 0) continue
    if (place < reached) findings.add(child, `"${child.name}" must come before "${last}"`)
    else [reached, last] = [place, child.name]
  }
}

/** `one "job"`, or `one of "user", "role"`. */
function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`).join(', ')
  return names.length === 1 ? `one ${quoted}` : `one of ${quoted}`
}
