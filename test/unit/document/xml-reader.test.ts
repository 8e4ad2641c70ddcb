import { describe, expect, it } from 'vitest'
import type { Problem } from '../../../src/core/problem.ts'
import { positionOf } from '../../../src/document/text/line-index.ts'
import type { XmlLimits } from '../../../src/document/xml/xml-limits.ts'
import { readXml } from '../../../src/document/xml/xml-reader.ts'
import type { XmlElement, XmlNode } from '../../../src/document/xml/xml-tree.ts'
import { MALFORMED } from './malformed.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function read(text: string): { text: string; root: XmlElement } {
  const reading = runSync(readXml(bytesOf(text)))
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  return reading
}

function problemsOf(bytes: Uint8Array | string, limits?: Partial<XmlLimits>): readonly Problem[] {
  const reading = runSync(readXml(typeof bytes === 'string' ? bytesOf(bytes) : bytes, limits))
  return reading.ok ? [] : reading.problems
}

function written(text: string, { children }: XmlElement): [XmlNode['kind'], string][] {
  return children.map(({ kind, span }) => [kind, text.slice(span.start, span.end)])
}

const table = [...MALFORMED].flatMap(([message, rows]) =>
  rows.map(([document, line, column]) => ({ document, line, column, message })),
)

describe('a malformed document', () => {
  it.each(table)('$document is refused at $line:$column', ({ document, ...problem }) => {
    expect(problemsOf(document)[0]).toEqual(problem)
  })

  it('names every fault that does not hide the next', () => {
    const problems = problemsOf('<a b="&x;" b="">\n&#0;\n<c>&y;</d>\n</a>')

    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [1, 7],
      [1, 12],
      [2, 1],
      [3, 4],
      [3, 7],
    ])
  })

  it('names at most fifty faults', () => {
    expect(problemsOf(`<a>${'&x;'.repeat(1000)}</a>`)).toHaveLength(50)
  })
})

describe('the bytes of a document', () => {
  it('are refused at the first byte that is not UTF-8', () => {
    const bytes = Buffer.concat([bytesOf('<a>\n€\uFFFD'), Buffer.of(0xff), bytesOf('</a>')])

    expect(problemsOf(bytes)).toEqual([
      { message: 'the byte 0xFF is not valid UTF-8 here', line: 2, column: 3 },
    ])
  })

  it('are refused where a character is cut short', () => {
    const bytes = Buffer.concat([bytesOf('<a/>'), Buffer.of(0xe2, 0x82)])

    expect(problemsOf(bytes)).toMatchObject([{ line: 1, column: 5 }])
  })

  it.each([
    ['UTF-16', Buffer.from('\uFEFF<a/>', 'utf16le')],
    ['UTF-16', Buffer.from('<a/>', 'utf16le')],
    ['UTF-16', Buffer.from('<a/>', 'utf16le').swap16()],
    ['UTF-32', Buffer.from('3c000000610000002f0000003e000000', 'hex')],
  ])('are refused as %s', (encoding, bytes) => {
    const message = `the document is encoded in ${encoding}; only UTF-8 is accepted`
    expect(problemsOf(bytes)).toEqual([{ message, line: 1, column: 1 }])
  })

  it('may begin with a byte order mark, which stays in the text and has no column', () => {
    const { text, root } = read('\uFEFF<?xml version="1.0" encoding="UTF-8"?><a/>')

    expect(root.span).toEqual({ start: 39, end: 43 })
    expect(text.length).toBe(43)
    expect(positionOf(text, 1)).toEqual({ line: 1, column: 1 })
  })

  it.each(['utf-8', 'UTF-8', 'utf8', 'US-ASCII'])('may declare %s', (encoding) => {
    expect(read(`<?xml version='1.0' encoding='${encoding}'?><a/>`).root.name).toBe('a')
  })
})

describe('white space after the root', () => {
  it.each(['\r', '\n\r', '\r\r', '\r\n', '<!-- x -->\r', '\r<?x?>\r'])(
    'may end with any line ending: %j',
    (end) => {
      const text = `<a>x</a>${end}`
      const { root } = read(text)

      expect(text.slice(root.span.start, root.span.end)).toBe('<a>x</a>')
    },
  )
})

describe('the tree', () => {
  it('knows the exact place of every node', () => {
    const text = '<!-- 1 --> <a>\r\n <b\tc = "d"/>x<![CDATA[<y>]]><?p q?><!----> </a\n>\n<?z?>'
    const { root } = read(text)

    expect(text.slice(root.openTag.start, root.openTag.end)).toBe('<a>')
    expect(text.slice(root.closeTag?.start, root.closeTag?.end)).toBe('</a\n>')
    expect(written(text, root)).toEqual([
      ['text', '\r\n '],
      ['element', '<b\tc = "d"/>'],
      ['text', 'x'],
      ['text', '<![CDATA[<y>]]>'],
      ['aside', '<?p q?>'],
      ['aside', '<!---->'],
      ['text', ' '],
    ])
  })

  it('keeps an attribute as written and as meant', () => {
    const text = `<a b = 'x"&amp;&#10;\r\n𝄞' c="'"/>`
    const { root } = read(text)
    const b = root.attributes.get('b')

    expect(b?.value).toBe('x"&\n 𝄞')
    expect(text.slice(b?.span.start, b?.span.end)).toBe(`b = 'x"&amp;&#10;\r\n𝄞'`)
    expect(text.slice(b?.valueSpan.start, b?.valueSpan.end)).toBe('x"&amp;&#10;\r\n𝄞')
    expect(root.attributes.get('c')?.value).toBe("'")
  })

  it('takes names that mean something to JavaScript', () => {
    const { root } = read('<__proto__ __proto__="x" constructor="y"/>')

    expect(root.name).toBe('__proto__')
    expect([...root.attributes.keys()]).toEqual(['__proto__', 'constructor'])
  })

  it('resolves references and line endings in text', () => {
    const [text] = read('<a>1 &lt;\r\n&#x1D11E;</a>').root.children

    expect(text).toMatchObject({ text: '1 <\n𝄞', cdata: false })
  })
})

/** Characters that are parsed at a time. */
const PIECE = 16_384
const CONSTRUCT = `<b\tc = 'x"&amp;\r\n𝄞'/>x&lt;\r\n𝄞]] ><![CDATA[<y>]]><?p q?><!-- - --><d ></d\n>`
const FAULTS = `<b c="&x;" c=""/>&#0;]]><d>&y;</e>`

/** A document whose first piece ends this many characters into the construct. */
function padded(construct: string, cut: number): string {
  return `<a>${' '.repeat(PIECE - '<a>'.length - cut)}${construct}</a>`
}

function cutsOf(construct: string): number[] {
  return Array.from({ length: construct.length + 1 }, (_, cut) => cut)
}

/** The content of an element behind the padding. */
function said(text: string): unknown {
  const [, ...nodes] = read(text).root.children
  return nodes.map((node) => [
    text.slice(node.span.start, node.span.end),
    node.kind === 'text' ? node.text : node.kind === 'element' ? [...node.attributes] : null,
  ])
}

describe('a document that is parsed in several pieces', () => {
  it('has the same tree wherever the first piece ends', () => {
    const texts = cutsOf(CONSTRUCT).map((cut) => padded(CONSTRUCT, cut))

    const values = texts.map((text) => JSON.stringify(said(text)).replace(/"(start|end)":\d+/g, ''))

    expect(new Set(values).size).toBe(1)
    expect(values[0]).toContain('𝄞')
  })

  it('has its faults at the same places wherever the first piece ends', () => {
    const whole = problemsOf(`<a> ${FAULTS}</a>`).map(({ message, column = 0 }) => [
      message,
      column,
    ])

    const found = cutsOf(FAULTS).map((cut) =>
      problemsOf(padded(FAULTS, cut)).map(({ message, column = 0 }) => [
        message,
        column - (PIECE - '<a> '.length - cut),
      ]),
    )

    expect(whole.length).toBeGreaterThan(3)
    for (const each of found) expect(each).toEqual(whole)
  })
})

describe('limits', () => {
  it('stop at the size of the document', () => {
    expect(problemsOf('<a>  </a>', { maxBytes: 8 })).toMatchObject([
      { message: 'the document has 9 bytes; at most 8 are accepted' },
    ])
  })

  it('stop at a hundred thousand nested elements', () => {
    const deep = '<a>'.repeat(100_000) + '</a>'.repeat(100_000)

    expect(problemsOf(deep)).toEqual([
      { message: 'elements are nested deeper than 200', line: 1, column: 601 },
    ])
  })

  it('stop at a hundred thousand attributes', () => {
    const attributes = Array.from({ length: 100_000 }, (_, n) => `a${n}=""`).join('\n')

    expect(problemsOf(`<a ${attributes}/>`)).toEqual([
      { message: 'an element has more than 256 attributes', line: 257, column: 1 },
    ])
  })

  it('stop at what would fill the memory', () => {
    const message = 'the document has more than 4 elements, attributes and texts'

    expect(problemsOf('<a b="">x<!--y--></a>', { maxParts: 4 })).toEqual([])
    expect(problemsOf('<a b="">x<!--y--><c/></a>', { maxParts: 4 })).toMatchObject([{ message }])
    expect(problemsOf('<a b="">x<c d=""/></a>', { maxParts: 4 })).toMatchObject([{ message }])
  })

  it('stop at an overlong attribute', () => {
    expect(problemsOf(`<a b="${'x'.repeat(100)}"/>`, { maxAttributeLength: 50 })).toEqual([
      { message: 'an attribute is longer than 50 characters', line: 1, column: 4 },
    ])
  })
})
