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

/** The value of a scalar without quotes. */
type ScalarOf = (plain: string) => unknown

interface Reading {
  readonly anchors: Map<string, unknown>
  readonly scalarOf: ScalarOf
}

/**
 * Reads YAML with its aliases and merged mappings; scalars stay text, and an empty value is `null`.
 */
export function readYaml(text: string): unknown {
  return read(text, (plain) => plain)
}

/** The same with booleans and whole numbers. */
export function readTypedYaml(text: string): unknown {
  return read(text, (plain) =>
    /^(true|false|0|-?[1-9]\d*)$/.test(plain) ? JSON.parse(plain) : plain,
  )
}

function read(text: string, scalarOf: ScalarOf): unknown {
  const tree: unknown = Reflect.apply(parsers.yaml.parse, parsers.yaml, [
    text,
    { originalText: text },
  ])
  return valueOf(tree, { anchors: new Map(), scalarOf })
}

function valueOf(tree: unknown, reading: Reading): unknown {
  if (tree === null || tree === undefined) return null
  const node = Node.parse(tree)
  const value = contentOf(node, reading)
  if (node.anchor) reading.anchors.set(node.anchor.value, value)
  return value
}

function contentOf(node: z.infer<typeof Node>, reading: Reading): unknown {
  const { type, value, children = [] } = node
  if (type === 'null') return null
  if (type === 'alias') return reading.anchors.get(value ?? '')
  if (value !== undefined) return type === 'plain' ? reading.scalarOf(value) : value
  if (/^(mapping|flowMapping)$/.test(type)) {
    return Object.assign({}, ...children.map((item) => entryOf(item, reading)))
  }
  if (/^(sequence|flowSequence)$/.test(type)) return children.map((item) => valueOf(item, reading))
  // What holds one thing: documents, whose head comes first, and what keys, values and items are wrapped in.
  return valueOf(children.at(-1), reading)
}

/** Puts merged values first, so that keys beside them win. */
function entryOf(item: unknown, reading: Reading): object {
  const [key, value] = (Node.parse(item).children ?? []).map((part) => valueOf(part, reading))
  return key === '<<' ? Mapping.parse(value) : { [String(key)]: value }
}
