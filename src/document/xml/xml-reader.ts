import { SaxesParser } from 'saxes'
import { runSync } from '../../lib/cooperative.ts'
import type { Problem } from '../../core/problem.ts'
import { LineIndex } from '../text/line-index.ts'
import type { TextSource } from '../text/text-source.ts'
import { plainTreeSteps, readPlainTree } from './plain-tree.ts'
import { decodeXml } from './xml-bytes.ts'
import { XML_LIMITS, type XmlLimits } from './xml-limits.ts'
import { XmlTreeBuilder } from './xml-tree-builder.ts'
import type { XmlElement } from './xml-tree.ts'

/** Characters that are parsed in one step. */
const PIECE = 16_384

/** A document that is well-formed, with the places of its lines. */
export interface XmlDocument {
  readonly text: string
  /** The text for those who take parts of it: the whole need not be a string for that. */
  readonly source: TextSource
  readonly root: XmlElement
  readonly lines: LineIndex
}

export type XmlReading =
  | ({ readonly ok: true } & XmlDocument)
  | { readonly ok: false; readonly problems: readonly Problem[] }

/**
 * Reads a document strictly, as XML 1.0 without a DOCTYPE, in steps of some milliseconds. Any bytes
 * get an answer, never an exception, and every problem has its line and column.
 */
export function* readXml(
  bytes: Uint8Array,
  limits: Partial<XmlLimits> = {},
): Generator<unknown, XmlReading> {
  const bounds = { ...XML_LIMITS, ...limits }
  if (bytes.length > bounds.maxBytes) {
    const message = `the document has ${bytes.length} bytes; at most ${bounds.maxBytes} are accepted`
    return { ok: false, problems: [{ message, line: 1, column: 1 }] }
  }
  const decoding = decodeXml(bytes)
  if (!decoding.ok) return { ok: false, problems: [decoding.problem] }
  const { text } = decoding
  const plain = yield* plainTreeSteps(text, bounds)
  if (!plain) return yield* readStrictly(text, bounds)
  return { ok: true, text, source: text, root: plain.root, lines: new LineIndex(text) }
}

/** A tree without its text, with its number of elements, attributes, texts and comments. */
export interface XmlTree {
  readonly root: XmlElement
  readonly parts: number
}

/**
 * The tree of a text that is well-formed; null for any other text.
 * For the faults, use `readXml`.
 */
export function readTree(text: string, limits: XmlLimits): XmlTree | null {
  const plain = readPlainTree(text, limits)
  if (plain) return plain
  const { faults, root, parts } = runSync(treeOf(text, limits))
  return faults.length === 0 && root ? { root, parts } : null
}

/** Reads a text with each of its faults, whatever markup it has. */
export function* readStrictly(text: string, limits: XmlLimits): Generator<unknown, XmlReading> {
  const lines = new LineIndex(text)
  const { faults, root } = yield* treeOf(text, limits)
  if (faults.length === 0 && root) return { ok: true, text, source: text, root, lines }
  const problems = faults.map(({ message, offset }) => ({ message, ...lines.positionOf(offset) }))
  return { ok: false, problems }
}

function* treeOf(text: string, limits: XmlLimits): Generator<unknown, XmlTreeBuilder> {
  const builder = new XmlTreeBuilder(text, limits)
  const parser = parserFor(builder)
  const { length } = text
  for (let start = 0; start < length; start += PIECE) {
    const piece = length <= PIECE ? text : text.slice(start, start + PIECE)
    if (!builder.watch(() => parser.write(piece))) return builder
    yield
  }
  builder.watch(() => parser.close())
  return builder
}

function parserFor(builder: XmlTreeBuilder): SaxesParser {
  const parser = new SaxesParser({
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  })
  parser.on('xmldecl', (declaration) => builder.declaration(declaration, parser.position))
  parser.on('doctype', () => builder.doctype())
  parser.on('processinginstruction', () => builder.aside(parser.position))
  parser.on('comment', () => builder.comment(parser.position + '>'.length))
  parser.on('opentagstart', ({ name }) => builder.beginTag(name))
  parser.on('attribute', ({ name, value }) => builder.attribute(name, value, parser.position))
  parser.on('opentag', () => builder.open(parser.position))
  parser.on('closetag', ({ isSelfClosing }) => builder.close(isSelfClosing, parser.position))
  parser.on('text', (content) => builder.text(content, parser.position - '<'.length))
  parser.on('cdata', (content) => builder.cdata(content, parser.position))
  parser.on('error', ({ message }) => builder.fault(message, parser.position))
  return parser
}
