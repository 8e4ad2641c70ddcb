import { parsers } from 'prettier/plugins/yaml'
import { z } from 'zod'

/** A node of the tree that the formatter makes of YAML. */
const Node = z.object({
  type: z.string(),
  value: z.string().optional(),
  anchor: z.object({ value: z.string() }).nullish(),
  children: z.array(z.unknown()).optional(),
})
const Mapping = z.record(z.string(), z.unknown())

/** What YAML says, with its aliases and merged mappings; its scalars stay text, `null` is what is empty. */
export function readYaml(text: string): unknown {
  const tree: unknown = Reflect.apply(parsers.yaml.parse, parsers.yaml, [
    text,
    { originalText: text },
  ])
  return valueOf(tree, new Map())
}

function valueOf(tree: unknown, anchors: Map<string, unknown>): unknown {
  if (tree === null || tree === undefined) return null
  const node = Node.parse(tree)
  const value = contentOf(node, anchors)
  if (node.anchor) anchors.set(node.anchor.value, value)
  return value
}

function contentOf(node: z.infer<typeof Node>, anchors: Map<string, unknown>): unknown {
  const { type, value, children = [] } = node
  if (type === 'null') return null
  if (type === 'alias') return anchors.get(value ?? '')
  if (value !== undefined) return value
  if (/^(mapping|flowMapping)$/.test(type)) {
    return Object.assign({}, ...children.map((item) => entryOf(item, anchors)))
  }
  if (/^(sequence|flowSequence)$/.test(type)) return children.map((item) => valueOf(item, anchors))
  // What holds one thing: documents, whose head comes first, and what keys, values and items are wrapped in.
  return valueOf(children.at(-1), anchors)
}

/** What is merged in comes first here, so that what is said beside it wins. */
function entryOf(item: unknown, anchors: Map<string, unknown>): object {
  const [key, value] = (Node.parse(item).children ?? []).map((part) => valueOf(part, anchors))
  return key === '<<' ? Mapping.parse(value) : { [String(key)]: value }
}
