import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPlainTree } from '../../../src/document/xml/plain-tree.ts'
import { XML_LIMITS } from '../../../src/document/xml/xml-limits.ts'
import { readStrictly, type XmlReading } from '../../../src/document/xml/xml-reader.ts'
import { runSync } from '../../../src/lib/cooperative.ts'
import { realRevisions, validDocuments } from '../../support/documents/config-corpus.ts'
import { aConfiguration, exec, git } from '../../support/documents/a-configuration.ts'
import { walkElements } from '../../../src/document/xml/xml-elements.ts'
import type { XmlElement } from '../../../src/document/xml/xml-tree.ts'
import { plainTree } from '../../support/git/plain-tree.ts'

const MADE = aConfiguration({
  pipelines: [{ name: 'a', materials: [git('https://example.com/?a&b')], variables: { V: '<x>' } }],
  templates: [{ name: 't', stages: [{ jobs: [{ tasks: [exec('sh', '-c', "a && b > 'c'")] }] }] }],
  agents: [{ uuid: 'u1', resources: ['linux'] }],
})
const ELEMENT = /<(pipeline|agent|job|tasks|server|role)\b[^>]*(?:\/>|>[^]*?<\/\1>)/g
const DAMAGE = [
  '',
  ' ',
  '\t',
  '\r\n',
  '\r',
  'x',
  'é',
  '😀',
  '\ud800',
  '\u0001',
  '<',
  '>',
  '/',
  '"',
  "'",
  '&',
  '&amp;',
  '&quot;',
  '&lt;',
  '&#65;',
  '&nbsp;',
  ']]>',
  '<!-- x -->',
  '<!-- ',
  '--',
  '-->',
  '<![CDATA[<]]>',
  '<?p?>',
  '<a/>',
  '<a:b/>',
  '</a>',
  ' a = "1"',
  " a='1' a='2'",
  ' a="&#10;"',
  ' xmlns="x"',
]

/** Texts around an element. */
const AROUND = [
  ['', ''],
  ['', '\n'],
  ['\n', ''],
  ['<?xml version="1.0"?>', ''],
  ['<?xml version="1.0" encoding="utf-8"?>\n', '\n'],
  ['<?xml version="1.0" encoding="UTF-8"?>\r\n\r\n', '\r\n'],
  ['<?xml version="1.0" encoding="latin1"?>\n', ''],
  ['<?xml version="1.0"?>\n<!-- x -->', ''],
  ['<?xml version="1.0"?>\n<!-- x -->\n', '<!---->\n<!-- <a> -->'],
  ['<!-- x -->', ''],
  [' <?xml version="1.0"?>', ''],
  ['<?xml version="1.0"?>x', ''],
  ['', 'x'],
] as const

function strictReading(text: string, limits = {}): XmlReading {
  return runSync(readStrictly(text, { ...XML_LIMITS, ...limits }))
}

/** The numbers of all elements: each begins where those of the one before it end. */
function numbersIn(root: XmlElement): unknown {
  return [...walkElements(root)].map(({ name, number, last }) => ({ name, number, last }))
}

describe('reading plain markup quickly', () => {
  const texts = [MADE, ...realRevisions(4), ...validDocuments().filter((_, n) => n % 25 === 0)]
  const elements = texts.flatMap((text) => (text.match(ELEMENT) ?? []).slice(0, 40))

  it('gives the tree of the strict reader, or none', () => {
    let plain = 0
    const place = fc.double({ min: 0, max: 1, noNaN: true })
    const damage = fc.record({ from: place, length: fc.nat(2), by: fc.constantFrom(...DAMAGE) })
    fc.assert(
      fc.property(
        fc.constantFrom(...elements),
        fc.constantFrom(...AROUND),
        fc.array(damage, { maxLength: 2 }),
        (element, [before, behind], damages) => {
          const text = damages.reduce(
            (whole, { from, length, by }) => {
              const start = Math.floor(from * whole.length)
              return whole.slice(0, start) + by + whole.slice(start + length)
            },
            before + element + behind,
          )
          const read = readPlainTree(text, XML_LIMITS)
          if (!read) return

          const strict = strictReading(text)
          plain += 1
          expect(strict.ok && plainTree(strict.root)).toEqual(plainTree(read.root))
          expect(strict.ok && numbersIn(strict.root)).toEqual(numbersIn(read.root))
          expect(strictReading(text, { maxParts: read.parts }).ok).toBe(true)
          expect(strictReading(text, { maxParts: read.parts - 1 }).ok).toBe(false)
        },
      ),
      { numRuns: 1_500 },
    )

    expect(plain).toBeGreaterThan(150)
  })

  it('leaves what exceeds a limit to the strict reader', () => {
    const text = '<a b="1" c="2"><d>x</d></a>'
    const limits = {
      ...XML_LIMITS,
      maxAttributes: 2,
      maxDepth: 2,
      maxParts: 5,
      maxAttributeLength: 5,
    }

    expect(readPlainTree(text, limits)?.parts).toBe(5)
    for (const limit of ['maxAttributes', 'maxDepth', 'maxParts', 'maxAttributeLength'] as const) {
      expect(readPlainTree(text, { ...limits, [limit]: limits[limit] - 1 })).toBeNull()
    }
  })
})
