import type { Problem } from '../../core/problem.ts'
import { checkAttributes, checkContent } from './element-check.ts'
import { Findings } from './findings.ts'
import { shorten } from '../text/shown-text.ts'
import { checkReferences, checkUniqueness } from './uniqueness.ts'
import { parseSchemaVersion } from './value-types.ts'
import { CRUISE, type ElementRule } from './vocabulary.ts'
import { attributeOf, childElements } from '../xml/xml-elements.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** The version whose schema is known exactly. Others are checked against the union of all versions. */
export const EXACT_SCHEMA_VERSION = 75

/** Elements that Cairn executes, where the order of children counts in every version. */
const ACTED_ON = new Set(['security', 'pipelines', 'templates', 'environments', 'agents'])

interface Walk {
  readonly exact: boolean
  readonly findings: Findings
  /** Whether an element was already checked without findings. */
  readonly isKnown: (element: XmlElement) => boolean
}

/** The schema version that a document names, or null where it names none that exists. */
export function readSchemaVersion(root: XmlElement): number | null {
  return parseSchemaVersion(attributeOf(root, 'schemaVersion') ?? '')
}

/**
 * Checks a document against the schema: elements, attributes, values, order, counts, unique names,
 * existing ids. Reports every fault in the order of the document.
 */
export function checkStructure(document: XmlDocument): Problem[] {
  const findings = new Findings(document)
  checkOutside(document.root, findings, () => false)
  if (document.root.name === 'cruise') checkReferences(document.root, findings)
  return findings.problems()
}

/** Whether a document follows the version whose schema is known exactly. */
export function isExact(root: XmlElement): boolean {
  return readSchemaVersion(root) === EXACT_SCHEMA_VERSION
}

/**
 * Checks a document except for references and elements that were already checked. Rules across
 * elements, such as unique names, always run.
 */
export function checkOutside(
  root: XmlElement,
  findings: Findings,
  isKnown: (element: XmlElement) => boolean,
): void {
  if (root.name === 'cruise') {
    const exact = isExact(root)
    checkElement(root, CRUISE, { exact, findings, isKnown }, { ordered: exact })
  } else {
    findings.add(root, `the root element is "${shorten(root.name)}"; it must be "cruise"`)
  }
}

/** Checks a member of a list such as `pipelines` against the schema, as if it were in one. */
export function checkMember(
  member: XmlElement,
  { list, exact, findings }: { list: string; exact: boolean; findings: Findings },
): void {
  const rule = CRUISE.others.children.get(list)?.others.children.get(member.name)
  if (!rule) throw new Error(`the vocabulary has no ${member.name} in ${list}`)
  checkElement(member, rule, { exact, findings, isKnown: () => false }, { ordered: true })
}

function checkElement(
  element: XmlElement,
  rule: ElementRule,
  walk: Walk,
  above: { readonly ordered: boolean },
): void {
  const shape = walk.exact ? rule.exact : rule.others
  if (shape.open) return
  const { findings } = walk
  const ordered = above.ordered || ACTED_ON.has(rule.key)
  const children = childElements(element)
  const inspection = { element, children, shape, elsewhere: rule.others, ordered, findings }
  checkAttributes(inspection)
  checkContent(inspection)
  checkUniqueness(element, rule.key, findings)
  for (const child of children) {
    const inner = shape.children.get(child.name)
    if (inner && !walk.isKnown(child)) checkElement(child, inner, walk, inspection)
  }
}
