import { z } from 'zod'
import { CRUISE, ruleOf, type ElementRule } from '../schema/vocabulary.ts'
import type { ModelNode } from './model-node.ts'
import { At, manyOf, Text } from './values.ts'

/** An element or attribute that no version of the schema knows, kept as it is written. */
export const UnknownPart = z.object({
  at: At,
  kind: z.enum(['element', 'attribute']),
  name: Text,
  /** The name of the element that has it. */
  within: Text,
})
export type UnknownPart = z.infer<typeof UnknownPart>

export const UnknownParts = manyOf(UnknownPart)

/** Finds what no schema knows in an element, whose place in the vocabulary has this key. */
export function readUnknownParts(node: ModelNode | null, key: string): UnknownPart[] {
  return node ? [...unknownIn(node, ruleOf(key))] : []
}

/** Finds it in the document outside of these lists. */
export function readUnknownOutside(
  { children }: ModelNode,
  lists: ReadonlySet<string>,
): UnknownPart[] {
  return children.flatMap((node) => {
    const rule = lists.has(node.name) ? undefined : CRUISE.others.children.get(node.name)
    return rule ? [...unknownIn(node, rule)] : []
  })
}

function* unknownIn(node: ModelNode, { others }: ElementRule): Generator<UnknownPart> {
  if (others.open) return
  const { at, name: within } = node
  for (const name of node.attributeNames) {
    if (!others.attributes.has(name)) yield { at, kind: 'attribute', name, within }
  }
  for (const child of node.children) {
    const rule = others.children.get(child.name)
    if (rule) yield* unknownIn(child, rule)
    else yield { at: child.at, kind: 'element', name: child.name, within }
  }
}
