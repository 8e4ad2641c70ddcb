import { z } from 'zod'
import { CRUISE, type ElementRule, ruleOf } from '../schema/vocabulary.ts'
import { At, type ModelField, manyOf } from './fields.ts'
import type { ModelNode } from './model-node.ts'

/** An element or attribute that no version of the schema knows, kept as it is written. */
const UnknownPart = z.object({
  at: At,
  kind: z.enum(['element', 'attribute']),
  name: z.string(),
  /** The name of the element that has it. */
  within: z.string(),
})
export type UnknownPart = z.infer<typeof UnknownPart>

const UnknownParts = manyOf(UnknownPart)

/** Finds what no schema knows in an element, whose place in the vocabulary has this key. */
export function unknownIn(key: string, elementOf: (node: ModelNode) => ModelNode | null) {
  return {
    form: UnknownParts,
    read: (node: ModelNode) => {
      const element = elementOf(node)
      return element ? [...partsIn(element, ruleOf(key))] : []
    },
  } satisfies ModelField
}

/** Finds it in the document outside of these lists. */
export function unknownOutside(lists: ReadonlySet<string>) {
  return {
    form: UnknownParts,
    read: ({ children }: ModelNode) =>
      children.flatMap((node) => {
        const rule = lists.has(node.name) ? undefined : CRUISE.others.children.get(node.name)
        return rule ? [...partsIn(node, rule)] : []
      }),
  } satisfies ModelField
}

function* partsIn(node: ModelNode, { others }: ElementRule): Generator<UnknownPart> {
  if (others.open) return
  const { at, name: within } = node
  for (const name of node.attributeNames) {
    if (!others.attributes.has(name)) yield { at, kind: 'attribute', name, within }
  }
  for (const child of node.children) {
    const rule = others.children.get(child.name)
    if (rule) yield* partsIn(child, rule)
    else yield { at: child.at, kind: 'element', name: child.name, within }
  }
}
