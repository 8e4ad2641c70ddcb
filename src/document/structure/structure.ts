import type { Problem } from '../../core/problem.ts'
import { checkAttributes, checkContent, type ElementCheck } from './element-check.ts'
import { Findings } from './findings.ts'
import { shorten } from '../text/shown-text.ts'
import { checkReferences, checkUniqueness } from './uniqueness.ts'
import { parseSchemaVersion } from '../schema/value-types.ts'
import { CRUISE, type ElementRule } from '../schema/vocabulary.ts'
import { childElements } from '../xml/xml-elements.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** The version whose schema is known exactly. Others are checked against the union of all versions. */
export const EXACT_SCHEMA_VERSION = 75

/** How much is known of the schema that a document follows. */
export type Edition = 'earlier' | 'exact' | 'later'

interface Walk {
  readonly edition: Edition
  readonly findings: Findings
  /** Whether an element was already checked without findings. */
  readonly isKnown: (element: XmlElement) => boolean
}

/** The schema version that a document names, or null where it names none that exists. */
export function readSchemaVersion(root: XmlElement): number | null {
  return parseSchemaVersion(root.attributeValue('schemaVersion') ?? '')
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

/** The edition of the schema that a document names. */
export function editionOf(root: XmlElement): Edition {
  const version = readSchemaVersion(root) ?? 0
  if (version === EXACT_SCHEMA_VERSION) return 'exact'
  return version < EXACT_SCHEMA_VERSION ? 'earlier' : 'later'
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
    const edition = editionOf(root)
    const above = { ordered: edition === 'exact', keepsUnknown: false }
    checkElement(root, CRUISE, { edition, findings, isKnown }, above)
  } else {
    findings.add(root, `the root element is "${shorten(root.name)}"; it must be "cruise"`)
  }
}

/** Checks the rules across the members of a list such as `agents` that is checked without them. */
export function checkAcross(list: XmlElement, findings: Findings): void {
  const rule = CRUISE.others.children.get(list.name)
  if (rule) checkUniqueness(list, rule.key, findings)
}

/** Checks a member of a list such as `pipelines` against the schema, as if it were in one. */
export function checkMember(
  member: XmlElement,
  { list, edition, findings }: { list: string; edition: Edition; findings: Findings },
): void {
  const rule = CRUISE.others.children.get(list)?.others.children.get(member.name)
  if (!rule) throw new Error(`the vocabulary has no ${member.name} in ${list}`)
  const walk = { edition, findings, isKnown: () => false }
  checkElement(member, rule, walk, { ordered: true, keepsUnknown: false })
}

function checkElement(
  element: XmlElement,
  rule: ElementRule,
  walk: Walk,
  above: Pick<ElementCheck, 'ordered' | 'keepsUnknown'>,
): void {
  const { findings, edition } = walk
  const shape = edition === 'exact' ? rule.exact : rule.others
  if (shape.open) return
  const ordered = above.ordered || rule.ordered
  const keepsUnknown = above.keepsUnknown || (edition === 'later' && rule.keepsUnknown)
  const children = childElements(element)
  const elsewhere = rule.others
  const inspection = { element, children, shape, elsewhere, ordered, keepsUnknown, findings }
  checkAttributes(inspection)
  checkContent(inspection)
  checkUniqueness(element, rule.key, findings)
  for (const child of children) {
    const inner = shape.children.get(child.name)
    if (inner && !walk.isKnown(child)) checkElement(child, inner, walk, inspection)
  }
}
