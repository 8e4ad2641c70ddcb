import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ModelNode } from '../../../../src/document/model/model-node.ts'
import { parseNodes } from '../../../../src/document/model/parse-nodes.ts'
import { readXml } from '../../../../src/document/xml/xml-reader.ts'
import type { XmlElement } from '../../../../src/document/xml/xml-tree.ts'
import { SHARED_DATA } from '../../../support/programs/shared-data.ts'
import { runSync } from '../../../../src/lib/cooperative.ts'

interface Seen {
  readonly name: string
  readonly attributes: readonly (readonly [string, string | null])[]
  readonly text: string
  readonly children: readonly Seen[]
}

/** The facts that the strict reader saw, asking the node for the same attributes. */
function seenByReader(element: XmlElement): Seen {
  const texts = element.children.map((child) => (child.kind === 'text' ? child.text : ''))
  return {
    name: element.name,
    attributes: [...element.attributes.values()].map(({ name, value }) => [name, value]),
    text: texts.join('').trim(),
    children: element.children.flatMap((child) =>
      child.kind === 'element' ? [seenByReader(child)] : [],
    ),
  }
}

function seenByModel(node: ModelNode, element: XmlElement): Seen {
  const elements = element.children.flatMap((child) => (child.kind === 'element' ? [child] : []))
  return {
    name: node.name,
    attributes: [...element.attributes.keys()].map((name) => [name, node.attribute(name)]),
    text: node.text,
    children: node.children.flatMap((child, n) => {
      const same = elements[n]
      return same ? [seenByModel(child, same)] : []
    }),
  }
}

function bothWays(text: string): { reader: Seen; model: Seen } {
  const reading = runSync(readXml(new TextEncoder().encode(text)))
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  const node = parseNodes(reading)
  return { reader: seenByReader(reading.root), model: seenByModel(node, reading.root) }
}

const DOCUMENTS = [
  '<a/>',
  '<a b="1" c=\'2\'/>',
  '<a b="x &gt; y" c="&#10;&#x41;&amp;amp;"><b c="/"/></a>',
  '<a b=" 1\n2\t3 "> t <!-- <c> --> u <![CDATA[ <x> &amp; ]]>&lt;</a>',
  '<a>one<b/>two<![CDATA[]]></a>',
  '<a\n  b = "1"\n><b\n/></a >',
  "<?xml version='1.0'?><!-- it's --><a><?pi it's odd \"?><b>c</b><?x?></a><?y 'z?>",
  '<a>one\r\ntwo\rthree</a>',
  '<a><![CDATA[a]]]]><![CDATA[>b]]></a>',
  '<a>007</a>',
  '<a b="1e5">true</a>',
  '<a><script><b/></script><stop>x</stop></a>',
  '<a b="x/"/>',
  '<a b=">"><c d="/>"/></a>',
  '<a toString="1" hasOwnProperty="2" __proto__="3" constructor="4"/>',
]

describe('the nodes that the model is built from', () => {
  it.each(DOCUMENTS)('are what the strict reader saw in %j', (text) => {
    const { reader, model } = bothWays(text)

    expect(model).toEqual(reader)
  })

  it.each(['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty'])(
    'survive an element named %s, whatever they call it',
    (name) => {
      const { model } = bothWays(`<a><${name} b="1"/><c/><${name}>x</${name}></a>`)

      expect(model.children).toHaveLength(3)
      expect(model.children[1]).toMatchObject({ name: 'c' })
    },
  )

  it.skipIf(SHARED_DATA === null)('agree on every document of the corpus', () => {
    const folder = join(SHARED_DATA ?? '', 'configs')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    let compared = 0
    for (const file of files.filter((name) => name.endsWith('.xml'))) {
      const bytes = readFileSync(join(folder, file))
      if (!runSync(readXml(bytes)).ok) continue
      const { reader, model } = bothWays(bytes.toString())
      expect({ file, seen: model }).toEqual({ file, seen: reader })
      compared += 1
    }
    expect(compared).toBeGreaterThan(400)
  })
})
