import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runSync } from '../../../../src/lib/cooperative.ts'
import { ModelNode } from '../../../../src/document/model/model-node.ts'
import { readXml } from '../../../../src/document/xml/xml-reader.ts'
import { readAgain, type SeenElement } from '../../../support/documents/second-reader.ts'
import { SHARED_DATA } from '../../../support/programs/shared-data.ts'

function seenByModel(node: ModelNode): SeenElement {
  const { name, text, children } = node
  const attributes = [...node.attributeNames].map(
    (attribute) => [attribute, node.attribute(attribute) ?? ''] as const,
  )
  return { name, attributes, text, children: children.map(seenByModel) }
}

function readByModel(text: string): SeenElement {
  const reading = runSync(readXml(new TextEncoder().encode(text)))
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  return seenByModel(new ModelNode(reading.root))
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
  it.each(DOCUMENTS)('are what another parser sees in %j', (text) => {
    expect(readByModel(text)).toEqual(readAgain(text))
  })

  it.each(['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty'])(
    'may be named %s',
    (name) => {
      const { children } = readByModel(`<a><${name} b="1"/><c/><${name}>x</${name}></a>`)

      expect(children.map((child) => child.name)).toEqual([name, 'c', name])
    },
  )

  it('have the numbers of their elements, also beside omitted ones', () => {
    const reading = runSync(readXml(new TextEncoder().encode('<a> <b/><!-- --><c><d/></c></a>')))
    if (!reading.ok) throw new Error(reading.problems[0]?.message)
    const { root } = reading
    const omitted = new Set(root.children.filter((child) => child.kind === 'element').slice(0, 1))
    const node = new ModelNode(root, 10, omitted)

    expect(node.children.map(({ name, at }) => ({ name, at }))).toEqual([{ name: 'c', at: 12 }])
    expect(node.list('c', 'd').map(({ at }) => at)).toEqual([13])
  })

  it.skipIf(SHARED_DATA === null)('agree on every document of the corpus', () => {
    const folder = join(SHARED_DATA ?? '', 'configs')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    let compared = 0
    for (const file of files.filter((name) => name.endsWith('.xml'))) {
      const bytes = readFileSync(join(folder, file))
      if (!runSync(readXml(bytes)).ok) continue
      const text = bytes.toString()
      expect({ file, seen: readByModel(text) }).toEqual({ file, seen: readAgain(text) })
      compared += 1
    }
    expect(compared).toBeGreaterThan(400)
  })
})
