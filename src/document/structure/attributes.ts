import { hint } from './nearest-name.ts'
import { shorten } from '../text/shorten.ts'
import type { ElementCheck } from './element-check.ts'
import type { AttributeRule } from './vocabulary.ts'
import type { XmlAttribute, XmlElement } from '../xml/xml-tree.ts'

const XSI = 'http://www.w3.org/2001/XMLSchema-instance'

/** Checks the attributes of one element against its shape. */
export function checkAttributes(inspection: ElementCheck): void {
  const { element, shape, findings } = inspection
  for (const attribute of element.attributes.values()) {
    const rule = shape.attributes.get(attribute.name)
    if (rule) checkValue(attribute, rule, inspection)
    else if (!isSchemaInstance(attribute, element)) refuse(attribute, inspection)
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
