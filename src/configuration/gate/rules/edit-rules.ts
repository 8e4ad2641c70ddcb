import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'
import { isDeepStrictEqual } from 'node:util'
import { readYaml } from './rules-yaml.ts'

/** A rule by its keys, which need not be valid yet. */
type UncheckedRule = Readonly<Record<string, unknown>>

/** A change of one rule in a file of rules. */
export type RuleEdit =
  | { readonly kind: 'add'; readonly rule: UncheckedRule }
  /** Replaces the rule of a name, which may get another one. */
  | { readonly kind: 'replace'; readonly name: string; readonly rule: UncheckedRule }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'raise' | 'lower'; readonly name: string }

const EMPTY = 'version: 1\nrules:\n'
/** Lists and maps that are no longer than this stand on one line. */
const MAX_FLOW = 90

/**
 * The text of a file of rules with one of them edited. All other lines stay as they are, and in an edited rule
 * every key that has the same value, with its comments.
 *
 * @returns null where no rule has the name, or the file is not written in lines.
 */
export function editRules(written: string, edit: RuleEdit): string | null {
  const text = written.endsWith('\n') ? written : `${written}\n`
  if (text.trim() === '') return edit.kind === 'add' ? addedTo(EMPTY, edit.rule) : null
  const file = readBlocks(text)
  if (file === null) return null
  if (edit.kind === 'add') {
    if (file.blocks.length === 0) return addedTo(withOpenList(text, file.list), edit.rule)
    return [file.head, ...file.blocks, newBlock(edit.rule, file.indent), file.tail].join('')
  }
  const at = file.names.indexOf(edit.name)
  const block = file.blocks[at]
  if (block === undefined) return null
  const blocks = file.blocks.flatMap((each, n) => (n === at ? [] : [each]))
  if (edit.kind === 'replace') {
    const changed = changedBlock(block, edit.rule)
    if (changed === null) return null
    blocks.splice(at, 0, changed)
  }
  if (edit.kind === 'raise') blocks.splice(Math.max(0, at - 1), 0, block)
  if (edit.kind === 'lower') blocks.splice(at + 1, 0, block)
  if (blocks.length === 0) return `${closedList(file.head)}${file.tail}`
  return [file.head, ...blocks, file.tail].join('')
}

/** A file in pieces, the rules each with the comment above it. */
interface RuleBlocks {
  readonly head: string
  readonly blocks: readonly string[]
  readonly tail: string
  readonly names: readonly unknown[]
  /** The space before the dashes. */
  readonly indent: string
  readonly list: YAMLSeq
}

function readBlocks(text: string): RuleBlocks | null {
  const yaml = readYaml(text)
  const list: unknown = 'document' in yaml ? yaml.document.get('rules', true) : null
  if (!isSeq(list)) return null
  const items = list.items.filter(isMap)
  const starts = items.map((item) => startOf(text, item.range?.[0] ?? 0))
  const [first = text.length] = starts
  const dashes = items.map((item) => text.slice(lineStart(text, item.range?.[0] ?? 0)))
  if (list.flow === true && items.length > 0) return null
  if (!dashes.every((line) => /^ *- /.test(line))) return null
  const end = endOf(text, items.at(-1))
  return {
    head: text.slice(0, first),
    blocks: starts.map((start, n) => text.slice(start, starts[n + 1] ?? end)),
    tail: text.slice(items.length === 0 ? text.length : end),
    names: items.map((item) => item.get('name')),
    indent: /^ */.exec(dashes[0] ?? '')?.[0] ?? '  ',
    list,
  }
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** The beginning of a rule, with the comment lines directly above it. */
function startOf(text: string, offset: number): number {
  let start = lineStart(text, offset)
  while (start > 0) {
    const above = lineStart(text, start - 1)
    if (!text.slice(above, start).trimStart().startsWith('#')) return start
    start = above
  }
  return start
}

function endOf(text: string, last: YAMLMap | undefined): number {
  const end = last?.range?.[1] ?? text.length
  if (text[end - 1] === '\n') return end
  const next = text.indexOf('\n', end)
  return next < 0 ? text.length : next + 1
}

/** An empty list stands as `[]`. */
function withOpenList(text: string, { range }: YAMLSeq): string {
  const [start, end] = range ?? [text.length, text.length]
  return `${text.slice(0, start).trimEnd()}${text.slice(end)}`
}

function closedList(head: string): string {
  return head.replace(/(?<![^\n])rules:[ \t]*(#.*)?\n(?=(?:[^\S\n]*(?:#.*)?\n)*$)/, (line) =>
    line.replace('rules:', 'rules: []'),
  )
}

/** The rule is the first one: it goes behind the line that opens the list. */
function addedTo(text: string, rule: UncheckedRule): string {
  return text.replace(/^rules:.*\n/m, (line) => line + newBlock(rule, '  '))
}

function newBlock(rule: UncheckedRule, indent: string): string {
  const document = parseDocument('- {}\n')
  const item = firstItem(document)
  if (item === null) return ''
  item.flow = false
  setKeys(document, item, rule)
  return indented(document, indent)
}

/** The text of a rule with other values; null where it does not stand alone, such as one with aliases. */
function changedBlock(block: string, rule: UncheckedRule): string | null {
  const dash = /^ *(?=- )/m.exec(block)
  if (dash === null) return null
  const comment = block.slice(0, dash.index)
  const [indent] = dash
  const text = block
    .slice(dash.index)
    .split('\n')
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()))
    .join('\n')
  const yaml = readYaml(text)
  if (!('document' in yaml)) return null
  const { document } = yaml
  const item = firstItem(document)
  if (item === null) return null
  if (isDeepStrictEqual(plain(item.toJS(document)), plain(rule))) return block
  setKeys(document, item, rule)
  return comment + indented(document, indent)
}

function firstItem({ contents }: Document): YAMLMap | null {
  const item = isSeq(contents) ? contents.items[0] : null
  return isMap(item) ? item : null
}

function setKeys(document: Document, item: YAMLMap, rule: UncheckedRule): void {
  const wanted = new Map(Object.entries(rule).filter(([, value]) => value !== undefined))
  const names = item.items.map(({ key }) => String(key))
  for (const name of names) if (!wanted.has(name)) item.delete(name)
  for (const [name, value] of wanted) {
    const node = item.get(name, true)
    const known: unknown = item.has(name) ? document.createNode(node).toJS(document) : undefined
    if (isDeepStrictEqual(plain(known), plain(value))) continue
    // The comment of a value of one line stays.
    item.set(name, isScalarValue(value) ? value : flowing(document, value))
  }
}

/** A value alone means the same as a list of it. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 ? plain(value[0]) : value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}

function isScalarValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

function flowing(document: Document, value: unknown) {
  const isShort = JSON.stringify(value).length < MAX_FLOW
  return document.createNode(value, { flow: isShort })
}

function indented(document: Document, indent: string): string {
  const text = document.toString({ lineWidth: 0 })
  return text.replaceAll(/^(?=.)/gm, indent)
}
