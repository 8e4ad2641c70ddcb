import { buildConfiguration, type Configuration } from '../model/model.ts'
import { ModelNode } from '../model/model-node.ts'
import { plainSecrets } from '../secrets/plain-secrets.ts'
import { LineIndex } from '../text/line-index.ts'
import { checkOutside, type Edition, editionOf } from '../structure/structure.ts'
import { Findings } from '../structure/findings.ts'
import { checkReferences } from '../structure/uniqueness.ts'
import { childElements } from '../xml/xml-elements.ts'
import { readTree, type XmlTree } from '../xml/xml-reader.ts'
import { XML_LIMITS } from '../xml/xml-limits.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { ElementNumbers } from './element-numbers.ts'
import { listOf, type ListName, NAMED_BY } from './find-members.ts'
import { nameKey } from '../../core/name-key.ts'
import type { ReadMember } from './member-finder.ts'

/** Stands for a member in a skeleton. */
export interface Placeholder {
  readonly list: ListName
  /** The number in documents of the list that it is in. */
  readonly within: number
  /** The offset of the empty element in the skeleton that stands for the member. */
  readonly start: number
  readonly element: XmlElement
}

/** A document without the members of its long lists: an empty element stands for each of them. */
export interface Skeleton {
  readonly root: XmlElement
  /** The number in documents of its first element, which is the root. */
  readonly first: number
  /** In the order of the document. */
  readonly placeholders: readonly Placeholder[]
  /** The place of each placeholder among them. */
  readonly order: ReadonlyMap<XmlElement, number>
  /** Where the members of its documents stand, by name. */
  readonly names: MemberNames
  readonly edition: Edition
  /** The model, with empty lists in the place of the long ones. */
  readonly configuration: Configuration
  readonly hasPlainSecrets: boolean
  /** Elements, attributes, texts and comments, those that stand for members left out. */
  readonly parts: number
}

/** Reads a skeleton in steps. Null where the document around the members is not valid. */
export function* readSkeleton(
  text: string,
  numbers: ElementNumbers,
): Generator<void, Skeleton | null> {
  const tree = readTree(text, XML_LIMITS)
  yield
  return tree?.root.name === 'cruise'
    ? yield* skeletonOf(text, tree, numbers.take(tree.root.last + 1))
    : null
}

function* skeletonOf(
  text: string,
  { root, parts }: XmlTree,
  first: number,
): Generator<void, Skeleton | null> {
  const findings = new Findings({ source: text, lines: new LineIndex(text) })
  checkReferences(root, findings)
  const placeholders = placeholdersIn(root, first)
  yield
  const order = new Map(placeholders.map(({ element }, n) => [element, n]))
  const omitted = new Set(order.keys())
  checkOutside(root, findings, (element) => omitted.has(element))
  yield
  const building = buildConfiguration(new ModelNode(root, first, omitted))
  if (!building.success || findings.problems().length > 0) return null
  yield
  return {
    root,
    first,
    placeholders,
    order,
    names: new MemberNames(),
    edition: editionOf(root),
    configuration: building.data,
    hasPlainSecrets: plainSecrets(root).length > 0,
    parts: parts - placeholders.length,
  }
}

function placeholdersIn(root: XmlElement, first: number): Placeholder[] {
  return childElements(root).flatMap((list) =>
    childElements(list).flatMap((element): Placeholder[] => {
      const name = listOf(list.name, element.name)
      const { start } = element.span
      return name ? [{ list: name, within: first + list.number, start, element }] : []
    }),
  )
}

/**
 * Where the members of a list stand, by name. Most documents have a name where the one before had it: that is
 * looked at first, and all names are listed again only where another member stands there.
 */
class MemberNames {
  #places: ReadonlyMap<string, number> = new Map()

  /** The place of a member among all of a valid document, in which names are unique; undefined for none. */
  find(members: readonly ReadMember[], list: ListName, key: string): number | undefined {
    const wanted = keyOf(list, key)
    const known = this.#places.get(wanted)
    const standing = known === undefined ? undefined : members[known]
    if (standing && memberKey(standing) === wanted) return known
    this.#places = new Map(members.map((member, n) => [memberKey(member), n]))
    return this.#places.get(wanted)
  }
}

function memberKey({ list, element }: ReadMember): string {
  return keyOf(list, element.attributeValue(NAMED_BY[list]) ?? '')
}

/** A pipeline and a template may have one name. */
function keyOf(list: ListName, name: string): string {
  return `${list}/${nameKey(name)}`
}
