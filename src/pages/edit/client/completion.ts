import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionStatus,
  startCompletion,
} from '@codemirror/autocomplete'
import { ensureSyntaxTree } from '@codemirror/language'
import type { EditorState, Extension } from '@codemirror/state'
import { EditorView, type ViewUpdate } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'

interface KnownAttribute {
  readonly required?: true
  readonly values?: readonly string[]
}

interface KnownElement {
  readonly attributes: Readonly<Record<string, KnownAttribute>>
  readonly children: Readonly<Record<string, string>>
}

/** The content of each element, by its key. */
type Vocabulary = Readonly<Record<string, KnownElement>>

/** A place of the text where something of the vocabulary may be. */
interface Place {
  readonly kind: 'element' | 'closing' | 'attribute' | 'value' | 'text'
  readonly from: number
  /** The element or the tag that contains the place. */
  readonly node: SyntaxNode | null
}

export interface VocabularySource {
  /** The address of the vocabulary. */
  readonly address: string
  /** The names of the elements that contain the edited text, outermost first. */
  readonly within: readonly string[]
}

/** How long reading the text up to the cursor may take, in milliseconds. */
const PARSE_TIMEOUT_MS = 50
const NAME = /^[\w:.-]*$/
const TAGS = new Set(['OpenTag', 'CloseTag', 'SelfClosingTag', 'MismatchedCloseTag'])

/** Offers the elements, attributes and values that the schema knows at the cursor. */
export function completion({ address, within }: VocabularySource): Extension {
  let loading: Promise<Vocabulary> | null = null
  const load = () => (loading ??= fetchVocabulary(address))
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const place = placeAt(context.state, context.pos)
    if (place === null) return null
    const path = [...within, ...pathOf(context.state, place.node)]
    if (place.kind === 'closing') return closing(context, place, path)
    const known = knownAt(await load(), path)
    if (known === null) return null
    const options = optionsAt({ context, place, known, vocabulary: await load() })
    return options.length === 0 ? null : { from: place.from, options, validFor: NAME }
  }
  return [
    autocompletion({ override: [source], icons: false, activateOnTyping: false }),
    EditorView.updateListener.of(startWhereTyped),
  ]
}

/** Typing in a tag asks for completions; between tags only the key does. */
function startWhereTyped({ view, state, transactions }: ViewUpdate): void {
  const isTyped = transactions.some((each) => each.isUserEvent('input.type'))
  if (!isTyped || completionStatus(state) !== null) return
  const place = placeAt(state, state.selection.main.head)
  if (place !== null && place.kind !== 'text') startCompletion(view)
}

async function fetchVocabulary(address: string): Promise<Vocabulary> {
  const response = await fetch(address)
  return response.ok ? response.json() : {}
}

function placeAt(state: EditorState, pos: number): Place | null {
  const at = ensureSyntaxTree(state, pos, PARSE_TIMEOUT_MS)?.resolveInner(pos, -1)
  if (!at) return null
  const tag = tagAround(at)
  if (tag === null || (tag.to <= pos && !tag.lastChild?.type.isError)) {
    if (at.name === 'StartCloseTag') return { kind: 'closing', from: pos, node: at.parent }
    if (tag?.name === 'OpenTag') return { kind: 'text', from: pos, node: tag.parent }
    const outside = tag ? elementAround(tag.parent) : elementAround(at)
    return { kind: 'text', from: pos, node: outside }
  }
  const element = tag.parent
  const isClosing = tag.name.endsWith('CloseTag')
  if (at.name === 'TagName') {
    if (isClosing) return { kind: 'closing', from: at.from, node: element }
    return { kind: 'element', from: at.from, node: elementAround(element?.parent ?? null) }
  }
  if (at.name === 'AttributeName') return { kind: 'attribute', from: at.from, node: tag }
  if (at.name === 'AttributeValue') return { kind: 'value', from: at.from + 1, node: at }
  const before = at === tag || at.name === 'Attribute' ? at.childBefore(pos) : at
  if (before?.name === 'StartTag') {
    return { kind: 'element', from: pos, node: elementAround(element?.parent ?? null) }
  }
  if (before?.name === 'StartCloseTag') return { kind: 'closing', from: pos, node: element }
  return before && before.name !== 'Is' ? { kind: 'attribute', from: pos, node: tag } : null
}

function tagAround(node: SyntaxNode | null): SyntaxNode | null {
  for (let each = node; each?.parent; each = each.parent) if (TAGS.has(each.name)) return each
  return null
}

function elementAround(node: SyntaxNode | null): SyntaxNode | null {
  for (let each = node; each; each = each.parent) if (each.name === 'Element') return each
  return null
}

/** The names of an element, or of the one that a node is in, and of those around it. */
function pathOf(state: EditorState, node: SyntaxNode | null): string[] {
  const names: string[] = []
  for (let each = elementAround(node); each; each = elementAround(each.parent)) {
    const name = each.firstChild?.getChild('TagName')
    if (name) names.unshift(state.sliceDoc(name.from, name.to))
  }
  return names
}

function knownAt(vocabulary: Vocabulary, path: readonly string[]): KnownElement | null {
  const [root, ...inner] = path
  if (root === undefined) return { attributes: {}, children: { cruise: 'cruise' } }
  let known = root === 'cruise' ? vocabulary['cruise'] : undefined
  for (const name of inner) known = vocabulary[known?.children[name] ?? '']
  return known ?? null
}

function optionsAt(look: {
  context: CompletionContext
  place: Place
  known: KnownElement
  vocabulary: Vocabulary
}): Completion[] {
  const { context, place, known, vocabulary } = look
  const { state } = context
  if (place.kind === 'value') {
    const name = place.node?.parent?.getChild('AttributeName')
    const attribute = name ? known.attributes[state.sliceDoc(name.from, name.to)] : undefined
    return (attribute?.values ?? []).map((value) => ({ label: value }))
  }
  if (place.kind === 'attribute') {
    const present = new Set(place.node?.getChildren('Attribute').map((each) => nameOf(state, each)))
    const typed = state.sliceDoc(place.from, context.pos)
    return Object.entries(known.attributes)
      .filter(([name]) => name === typed || !present.has(name))
      .map(([name, { required }]) => attributeOption(name, required ?? false))
  }
  return Object.entries(known.children).map(([name, key]) =>
    elementOption(name, vocabulary[key], place.kind === 'text' ? '<' : ''),
  )
}

function nameOf(state: EditorState, attribute: SyntaxNode): string {
  const name = attribute.getChild('AttributeName')
  return name ? state.sliceDoc(name.from, name.to) : ''
}

function attributeOption(name: string, isRequired: boolean): Completion {
  return {
    label: name,
    ...(isRequired && { detail: 'required', boost: 1 }),
    apply: (view, _, from, to) => {
      const isThere = view.state.sliceDoc(to, to + 1) === '='
      insert(view, { from, to, text: isThere ? name : `${name}=""`, cursor: name.length + 2 })
    },
  }
}

/** Brings the required attributes along, with the cursor in the first. */
function elementOption(name: string, known: KnownElement | undefined, start: string): Completion {
  const required = Object.entries(known?.attributes ?? {}).filter(([, each]) => each.required)
  const text = [`${start}${name}`, ...required.map(([attribute]) => `${attribute}=""`)].join(' ')
  const quotes = text.indexOf('"')
  return {
    label: `${start}${name}`,
    apply: (view, _, from, to) => {
      const hasMore = /^\s+[\w/]/.test(view.state.sliceDoc(to, to + 40))
      if (hasMore) insert(view, { from, to, text: `${start}${name}`, cursor: name.length })
      else insert(view, { from, to, text, cursor: quotes < 0 ? text.length : quotes + 1 })
    },
  }
}

interface Insertion {
  readonly from: number
  readonly to: number
  readonly text: string
  /** The place of the cursor in the text. */
  readonly cursor: number
}

function insert(view: EditorView, { from, to, text, cursor }: Insertion): void {
  view.dispatch({
    changes: { from, to, insert: text },
    selection: { anchor: from + cursor },
    userEvent: 'input.complete',
  })
  startCompletion(view)
}

function closing(
  context: CompletionContext,
  { from }: Place,
  path: readonly string[],
): CompletionResult | null {
  const name = path.at(-1)
  if (name === undefined) return null
  const isClosed = context.state.sliceDoc(context.pos, context.pos + 1) === '>'
  return { from, options: [{ label: isClosed ? name : `${name}>` }], validFor: NAME }
}
