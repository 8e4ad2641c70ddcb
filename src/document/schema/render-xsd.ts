import { VALUE_TYPES, type ValueType } from './value-types.ts'
import { CRUISE, type ElementRule, type Particle, type Shape } from './vocabulary.ts'

/** The text of an element that has none: white space, which is ignored. */
const BLANK = 'blank'

/** An element in its place: whether order counts there, and whether what no schema knows is kept. */
interface Placed {
  readonly rule: ElementRule
  readonly ordered: boolean
  readonly keepsUnknown: boolean
}

/**
 * The vocabulary of all versions together as an XML Schema, for editors. It takes every document that the
 * structure check takes, but for elements that no version knows: XML Schema 1.0 cannot say that they may be
 * beside known ones.
 */
export function renderXsd(): string {
  const types = new Map<string, string>()
  const root = typeOf({ rule: CRUISE, ordered: false, keepsUnknown: false }, types)
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">',
    `  <xs:element name="${CRUISE.key}" type="${root}" />`,
    ...simpleTypes(),
    ...types.values(),
    '</xs:schema>',
    '',
  ].join('\n')
}

/** The name of the type of an element; the type is added where it is not there yet. */
function typeOf(placed: Placed, types: Map<string, string>): string {
  const { rule, ordered, keepsUnknown } = placed
  const marks = [...(ordered ? ['ordered'] : []), ...(keepsUnknown ? ['open'] : [])]
  const name = ['element', ...rule.key.split('/'), ...marks].join('-')
  if (types.has(name)) return name
  types.set(name, '')
  const lines = [`  <xs:complexType name="${name}"${mixedOf(rule.others)}>`]
  lines.push(...contentOf(placed, types), '  </xs:complexType>')
  types.set(name, lines.join('\n'))
  return name
}

function mixedOf({ open, text, particles }: Shape): string {
  return open || (text !== null && particles.length > 0) ? ' mixed="true"' : ''
}

function contentOf(placed: Placed, types: Map<string, string>): string[] {
  const { others: shape } = placed.rule
  if (shape.open) {
    return [
      '    <xs:sequence>',
      '      <xs:any minOccurs="0" maxOccurs="unbounded" processContents="skip" />',
      '    </xs:sequence>',
      '    <xs:anyAttribute processContents="skip" />',
    ]
  }
  const attributes = attributesOf(placed)
  if (shape.particles.length > 0) return [...childrenOf(placed, types), ...attributes]
  const base = shape.text === null ? BLANK : nameOf(shape.text)
  return [
    '    <xs:simpleContent>',
    `      <xs:extension base="${base}">`,
    ...attributes,
    '      </xs:extension>',
    '    </xs:simpleContent>',
  ]
}

function attributesOf({ rule, keepsUnknown }: Placed): string[] {
  const rendered = [...rule.others.attributes].map(([name, { type, required }]) => {
    const use = required ? ' use="required"' : ''
    return `    <xs:attribute name="${name}" type="${nameOf(type)}"${use} />`
  })
  const others = keepsUnknown || rule.keepsUnknown
  return others ? [...rendered, '    <xs:anyAttribute processContents="skip" />'] : rendered
}

/** Where order does not count, any number of each in any order: XML Schema 1.0 has no other way to say it. */
function childrenOf(placed: Placed, types: Map<string, string>): string[] {
  const { rule } = placed
  const { particles, children, ordered: canBeOrdered } = rule.others
  const ordered = placed.ordered || rule.ordered
  const keepsUnknown = placed.keepsUnknown || rule.keepsUnknown
  const elementOf = (name: string, occurs = '') => {
    const child = children.get(name)
    const type = child === undefined ? '' : typeOf({ rule: child, ordered, keepsUnknown }, types)
    return `      <xs:element name="${name}" type="${type}"${occurs} />`
  }
  if (!ordered || !canBeOrdered) {
    return [
      '    <xs:choice minOccurs="0" maxOccurs="unbounded">',
      ...[...children.keys()].map((name) => elementOf(name)),
      '    </xs:choice>',
    ]
  }
  const placesOf = (particle: Particle) => {
    const occurs = occursOf(particle, keepsUnknown)
    const [first = '', ...others] = particle.names
    if (others.length === 0) return [elementOf(first, occurs)]
    const names = particle.names.map((name) => elementOf(name))
    return [`    <xs:choice${occurs}>`, ...names, '    </xs:choice>']
  }
  return ['    <xs:sequence>', ...particles.flatMap(placesOf), '    </xs:sequence>']
}

/** An element that no schema knows may stand for one that has to be there. */
function occursOf({ min, max }: Particle, keepsUnknown: boolean): string {
  const least = min === 0 || keepsUnknown ? ' minOccurs="0"' : ''
  return `${least}${max === Infinity ? ' maxOccurs="unbounded"' : ''}`
}

/** The names of the types of values; a type of other versions is one of them too. */
const NAMED_TYPES: ReadonlyMap<ValueType, string> = new Map(
  Object.entries<ValueType>(VALUE_TYPES).map(([name, type]) => [type, name]),
)

function nameOf(type: ValueType): string {
  return `value-${NAMED_TYPES.get(type) ?? 'text'}`
}

function simpleTypes(): string[] {
  const blank = { must: 'be white space', pattern: '[ \\t\\r\\n]*' }
  return [
    renderSimple(BLANK, blank),
    ...[...NAMED_TYPES.keys()].map((type) => renderSimple(nameOf(type), type)),
  ]
}

function renderSimple(
  name: string,
  { must, values, pattern, maxLength }: Omit<ValueType, 'accepts'>,
): string {
  const facets = [
    ...(pattern === undefined ? [] : [`<xs:pattern value="${escape(toXsd(pattern))}" />`]),
    ...(pattern === undefined ? (values ?? []) : []).map(
      (value) => `<xs:enumeration value="${escape(value)}" />`,
    ),
    ...(maxLength === undefined ? [] : [`<xs:maxLength value="${maxLength}" />`]),
  ]
  return [
    `  <xs:simpleType name="${name}">`,
    `    <xs:annotation><xs:documentation>It must ${escape(must)}</xs:documentation></xs:annotation>`,
    `    <xs:restriction base="xs:string">${facets.join('')}</xs:restriction>`,
    '  </xs:simpleType>',
  ].join('\n')
}

/** XML Schema has other ways to write some classes; libxml2 is wrong about lines as a negated class. */
function toXsd(pattern: string): string {
  return pattern
    .replaceAll('(?:', '(')
    .replaceAll('[^]', '[\\s\\S]')
    .replaceAll('[^\\n\\r]', '.')
    .replaceAll('[^\\r\\n]', '.')
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
