import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../../src/core/problem.ts'
import { LineIndex } from '../../../src/document/text/line-index.ts'
import { readXml, type XmlDocument } from '../../../src/document/xml/xml-reader.ts'
import type { XmlAttribute, XmlElement, XmlNode } from '../../../src/document/xml/xml-tree.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

/** A generated document: its text, and its meaning. */
interface Meant {
  readonly source: string
  readonly root: Expected
}

type Expected =
  | { kind: 'text'; source: string; text: string; cdata: boolean }
  | { kind: 'aside'; source: string }
  | {
      kind: 'element'
      source: string
      name: string
      attributes: readonly ExpectedAttribute[]
      children: readonly Expected[]
    }

interface ExpectedAttribute {
  readonly name: string
  readonly source: string
  readonly raw: string
  readonly value: string
}

const PIECES: readonly (readonly [raw: string, inText: string, inAttribute: string])[] = [
  ['x', 'x', 'x'],
  ['>', '>', '>'],
  [']]', ']]', ']]'],
  ['é𝄞', 'é𝄞', 'é𝄞'],
  ['\r\n', '\n', ' '],
  ['\n', '\n', ' '],
  ['\t', '\t', ' '],
  ['&amp;', '&', '&'],
  ['&#13;', '\r', '\r'],
  ['&#x1F600;', '😀', '😀'],
]
const SPACES = ['', ' ', '\n\t', '\r\n', '\r'] as const

const space = fc.constantFrom(...SPACES)
const name = fc.constantFrom('a', 'job', '__proto__', 'x-1.é', 'xmlns:xsi', '𐐀')
const pieces = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 })
  .filter((parts) => !parts.some(([raw], at) => raw === ']]' && parts[at + 1]?.[0] === '>'))

const textNode = pieces.map((parts): Expected => {
  const source = parts.map(([raw]) => raw).join('')
  return { kind: 'text', source, text: parts.map(([, meant]) => meant).join(''), cdata: false }
})
const cdata = fc.constantFrom('', '<b>&amp;', ']]', '-->', '𝄞').map((inner): Expected => ({
  kind: 'text',
  source: `<![CDATA[${inner}]]>`,
  text: inner,
  cdata: true,
}))
const aside = fc
  .constantFrom('<!---->', '<!-- <a> & -->', '<?p?>', '<?p <!-- ??>', '<!--\r\n𝄞-->')
  .map((source): Expected => ({ kind: 'aside', source }))

const written = fc
  .tuple(name, space, space, fc.constantFrom('"', "'"), pieces)
  .map(([key, before, after, quote, parts]): ExpectedAttribute => {
    const other = quote === '"' ? "'" : '"'
    const raw = parts.map(([piece]) => piece).join('') + other
    const value = parts.map(([, , meant]) => meant).join('') + other
    return { name: key, raw, value, source: `${key}${before}=${after}${quote}${raw}${quote}` }
  })

const trees = fc.letrec<{ element: Expected; child: Expected }>((tie) => ({
  child: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    textNode,
    cdata,
    aside,
    tie('element'),
  ),
  element: fc
    .tuple(
      name,
      fc.uniqueArray(written, { maxLength: 3, selector: (each) => each.name }),
      fc.array(tie('child'), { maxLength: 4 }),
      space,
    )
    .map(([key, attributes, nodes, end]): Expected => {
      const children = nodes.filter((node, at) => !(isText(node) && isText(nodes[at - 1])))
      const head = `<${key}${attributes.map(({ source }) => ` ${source}`).join('')}${end}`
      const inner = children.map(({ source }) => source).join('')
      const source = inner === '' ? `${head}/>` : `${head}>${inner}</${key}${end}>`
      return { kind: 'element', source, name: key, attributes, children }
    }),
}))

function isText(node: Expected | undefined): boolean {
  return node?.kind === 'text' && !node.cdata
}

const prolog = fc
  .tuple(fc.constantFrom('', '\uFEFF'), fc.constantFrom('', '<?xml version="1.0"?>\r\n'), aside)
  .map(([mark, declaration, { source }]) => mark + declaration + source)

const documents = fc
  .tuple(prolog, trees.element, aside, space)
  .map(([before, root, after, end]): Meant => ({
    source: `${before}${end}${root.source}\n${after.source}${end}`,
    root,
  }))

const MARKUP = '< > / ! ? - [ ] & ; = " a <!-- <![CDATA[ <?xml <!DOCTYPE &# </a>'.split(' ')
const markup = fc.constantFrom(...MARKUP, ' ', '\n', '\u0000', '\uFEFF')
const noise = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.array(markup, { maxLength: 60 }).map((parts) => new TextEncoder().encode(parts.join(''))),
)

function toldOf(text: string, node: XmlNode): Expected {
  const source = text.slice(node.span.start, node.span.end)
  if (node.kind === 'aside') return { kind: 'aside', source }
  if (node.kind === 'text') return { kind: 'text', source, text: node.text, cdata: node.cdata }
  const { name: key, attributes, children } = node
  return {
    kind: 'element',
    source,
    name: key,
    attributes: [...attributes.values()].map((each) => attributeOf(text, each)),
    children: children.map((child) => toldOf(text, child)),
  }
}

function attributeOf(text: string, attribute: XmlAttribute): ExpectedAttribute {
  const { name: key, value, span, valueSpan } = attribute
  return {
    name: key,
    source: text.slice(span.start, span.end),
    raw: text.slice(valueSpan.start, valueSpan.end),
    value,
  }
}

/** The opening tag, the children and the closing tag, which must make up the whole element. */
function assembled(text: string, element: XmlElement): string {
  const inner = element.children.map((child) =>
    child.kind === 'element'
      ? assembled(text, child)
      : text.slice(child.span.start, child.span.end),
  )
  const { openTag, closeTag } = element
  const end = closeTag ? text.slice(closeTag.start, closeTag.end) : ''
  return text.slice(openTag.start, openTag.end) + inner.join('') + end
}

function isOrphan(element: XmlElement): boolean {
  return element.children.some(
    (child) => child.kind === 'element' && (child.parent !== element || isOrphan(child)),
  )
}

function readSound(source: string): XmlDocument {
  const reading = runSync(readXml(new TextEncoder().encode(source)))
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
  return reading
}

function problemsOf(bytes: Uint8Array): readonly Problem[] {
  const reading = runSync(readXml(bytes))
  return reading.ok ? [] : reading.problems
}

/** Whether the place of a problem lies in the document, or just behind its end. */
function isInside(bytes: Uint8Array, { line = 0, column = 0 }: Problem): boolean {
  const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const length = decoded.split('\n')[line - 1]?.length ?? -1
  return line >= 1 && column >= 1 && column <= length + 1
}

describe('reading XML', () => {
  it('finds what was written, at its exact place', () => {
    fc.assert(
      fc.property(documents, ({ source, root }) => {
        const document = readSound(source)

        expect(toldOf(document.text, document.root)).toEqual(root)
        expect(assembled(document.text, document.root)).toBe(root.source)
        expect(isOrphan(document.root)).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  it('answers for any bytes, with a place in the document for each problem', () => {
    fc.assert(
      fc.property(noise, (bytes) => {
        expect(problemsOf(bytes).filter((problem) => !isInside(bytes, problem))).toEqual([])
      }),
      { numRuns: 3000 },
    )
  })

  it('answers for any damage to a sound document', () => {
    const sound =
      '<?xml version="1.0"?>\n<a b="1" c=\'&lt;\'>x<!-- y --><d><![CDATA[z]]></d>&#10;</a>\n'
    const cut = fc.nat(sound.length)
    fc.assert(
      fc.property(cut, cut, fc.string({ maxLength: 3 }), (from, to, put) => {
        const bytes = new TextEncoder().encode(sound.slice(0, from) + put + sound.slice(to))
        expect(problemsOf(bytes).filter((problem) => !isInside(bytes, problem))).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a line index', () => {
  it('agrees with counting line feeds', () => {
    const part = fc.constantFrom('\n', '\r\n', 'a', '𝄞', '\n'.repeat(90), 'a'.repeat(300))
    const texts = fc.array(part, { maxLength: 40 })
    fc.assert(
      fc.property(texts, fc.nat(4_000), (parts, at) => {
        const content = parts.join('')
        const offset = Math.min(at, content.length)
        const before = content.slice(0, offset).split('\n')

        const position = new LineIndex(content).positionOf(offset)

        expect(position).toEqual({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 })
      }),
    )
  })
})
