import { CRUISE } from '../schema/vocabulary.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** The places that the schema gives the children of an element; equal ones may stand in any order. */
export function schemaRank(parent: XmlElement): (child: XmlElement) => number {
  const path: string[] = []
  for (let at = parent; at.parent; at = at.parent) path.unshift(at.name)
  let rule: typeof CRUISE | undefined = CRUISE
  for (const name of path) rule = rule?.others.children.get(name)
  const particles = rule?.others.ordered === true ? rule.others.particles : []
  return ({ name }) => particles.findIndex(({ names }) => names.includes(name))
}
