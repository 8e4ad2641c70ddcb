import { RegExpCursor, SearchCursor } from '@codemirror/search'
import { type EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  type Panel,
  showPanel,
} from '@codemirror/view'

interface Query {
  readonly text: string
  readonly matchesCase: boolean
  readonly isExpression: boolean
}

interface Match {
  readonly from: number
  readonly to: number
}

/** An open search. */
interface Search {
  readonly query: Query
  /** Null for an expression that is not valid. */
  readonly matches: readonly Match[] | null
  readonly marks: DecorationSet
}

/** More matches are not looked for. */
const MOST = 10_000
const NOTHING: Query = { text: '', matchesCase: false, isExpression: false }
const MARK = Decoration.mark({ class: 'cm-searchMatch' })
const SELECTED = Decoration.mark({ class: 'cm-searchMatch-selected' })

/** Opens the search with a query, or closes it. */
const setQuery = StateEffect.define<Query | null>()

const field = StateField.define<Search | null>({
  create: () => null,
  update(search, { effects, docChanged, state }) {
    for (const effect of effects) {
      if (effect.is(setQuery)) return effect.value && searchFor(state, effect.value)
    }
    return search && docChanged ? searchFor(state, search.query) : search
  },
  provide: (self) => [
    showPanel.from(self, (search) => search && openPanel),
    EditorView.decorations.from(self, (search) => search?.marks ?? Decoration.none),
    EditorView.decorations.compute([self, 'selection'], markSelected),
  ],
})

/** Find and replace in a panel above the text. */
export function searchPanel(): Extension {
  const keys = [
    { key: 'Mod-f', run: open },
    { key: 'F3', run: next, shift: previous },
    { key: 'Mod-g', run: next, shift: previous, preventDefault: true },
    { key: 'Escape', run: close },
  ]
  return [field, Prec.high(keymap.of(keys))]
}

function searchFor(state: EditorState, query: Query): Search {
  const matches = matchesOf(state, query)
  return { query, matches, marks: Decoration.set(matches?.map(markOf) ?? []) }
}

function markOf({ from, to }: Match) {
  return MARK.range(from, to)
}

function matchesOf({ doc }: EditorState, query: Query): Match[] | null {
  const { text, matchesCase, isExpression } = query
  if (text === '') return []
  try {
    const cursor = isExpression
      ? new RegExpCursor(doc, text, { ignoreCase: !matchesCase })
      : new SearchCursor(doc, text, 0, doc.length, matchesCase ? undefined : lowerCase)
    const matches: Match[] = []
    while (matches.length < MOST && !cursor.next().done) {
      const { from, to } = cursor.value
      if (from < to) matches.push({ from, to })
    }
    return matches
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function lowerCase(text: string): string {
  return text.toLowerCase()
}

function markSelected(state: EditorState): DecorationSet {
  const match = selectedMatch(state)
  return match ? Decoration.set(SELECTED.range(match.from, match.to)) : Decoration.none
}

function selectedMatch(state: EditorState): Match | null {
  const { from, to } = state.selection.main
  const matches = state.field(field)?.matches ?? []
  return matches.find((match) => match.from === from && match.to === to) ?? null
}

/** Opens the panel, with the selected text if it is on one line. */
function open(view: EditorView): boolean {
  const { from, to } = view.state.selection.main
  const selected = view.state.sliceDoc(from, to)
  const query = view.state.field(field)?.query ?? NOTHING
  const isUsable = selected !== '' && !selected.includes('\n')
  view.dispatch({ effects: setQuery.of(isUsable ? { ...query, text: selected } : query) })
  const input = view.dom.querySelector<HTMLInputElement>('.search-panel [name=find]')
  if (input) {
    input.value = view.state.field(field)?.query.text ?? ''
    input.select()
  }
  return true
}

function close(view: EditorView): boolean {
  if (view.state.field(field) === null) return false
  view.dispatch({ effects: setQuery.of(null) })
  view.focus()
  return true
}

function next(view: EditorView): boolean {
  const matches = view.state.field(field)?.matches ?? []
  const { to } = view.state.selection.main
  return select(view, matches.find((match) => match.from >= to) ?? matches[0])
}

function previous(view: EditorView): boolean {
  const matches = view.state.field(field)?.matches ?? []
  const { from } = view.state.selection.main
  return select(view, matches.findLast((match) => match.to <= from) ?? matches.at(-1))
}

function select(view: EditorView, match: Match | undefined): boolean {
  if (!match) return false
  view.dispatch({
    selection: { anchor: match.from, head: match.to },
    effects: EditorView.scrollIntoView(match.from, { y: 'center' }),
  })
  return true
}

function replace(view: EditorView, text: string): void {
  const match = selectedMatch(view.state)
  if (match) view.dispatch({ changes: { ...match, insert: text } })
  next(view)
}

function replaceAll(view: EditorView, insert: string): void {
  const matches = view.state.field(field)?.matches ?? []
  view.dispatch({ changes: matches.map((match) => ({ ...match, insert })) })
}

function openPanel(view: EditorView): Panel {
  const dom = document.createElement('div')
  dom.className = 'search-panel'
  dom.role = 'search'
  dom.ariaLabel = 'Find in the text'
  const find = textField('Find', 'find')
  const replacement = textField('Replace', 'replace')
  const matchesCase = newInput('checkbox')
  const isExpression = newInput('checkbox')
  const count = document.createElement('span')
  count.setAttribute('role', 'status')
  count.className = 'muted'
  const change = () => {
    const query = {
      text: find.value,
      matchesCase: matchesCase.checked,
      isExpression: isExpression.checked,
    }
    view.dispatch({ effects: setQuery.of(query) })
    if (selectedMatch(view.state) === null) next(view)
  }
  for (const each of [find, matchesCase, isExpression]) each.addEventListener('input', change)
  dom.append(
    row(
      find,
      button('Previous', () => previous(view)),
      button('Next', () => next(view)),
      labelled(matchesCase, 'Match case'),
      labelled(isExpression, 'Regular expression'),
      count,
      button('Close', () => close(view)),
    ),
    row(
      replacement,
      button('Replace', () => replace(view, replacement.value)),
      button('Replace all', () => replaceAll(view, replacement.value)),
    ),
  )
  dom.addEventListener('keydown', (event) => onKey(event, view, find))
  const update = () => {
    count.textContent = countOf(view.state)
  }
  update()
  return { dom, top: true, update, mount: () => find.select() }
}

function onKey(event: KeyboardEvent, view: EditorView, find: HTMLInputElement): void {
  const isNext = event.key === 'Enter' && event.target === find
  if (event.key === 'Escape') close(view)
  else if (event.key === 'F3' || isNext) (event.shiftKey ? previous : next)(view)
  else if (event.key === 'Enter' && event.target instanceof HTMLInputElement)
    return event.preventDefault()
  else return
  event.preventDefault()
  event.stopPropagation()
}

function countOf(state: EditorState): string {
  const { query, matches } = state.field(field) ?? { query: NOTHING, matches: [] }
  if (matches === null) return 'Not a valid expression'
  if (query.text === '') return ''
  if (matches.length === 0) return 'No matches'
  const { from } = state.selection.main
  const at = matches.findIndex((match) => match.from === from) + 1
  const all = matches.length === MOST ? `${MOST.toLocaleString('en')} or more` : matches.length
  return at === 0 ? `${all} matches` : `${at} of ${all}`
}

function row(...parts: readonly HTMLElement[]): HTMLElement {
  const element = document.createElement('div')
  element.append(...parts)
  return element
}

/** Belongs to no form, so that it is not sent. */
function newInput(type: string): HTMLInputElement {
  const input = document.createElement('input')
  input.type = type
  input.setAttribute('form', '')
  return input
}

function textField(label: string, name: string): HTMLInputElement {
  return Object.assign(newInput('text'), { name, ariaLabel: label, placeholder: label })
}

function labelled(input: HTMLInputElement, text: string): HTMLElement {
  const label = document.createElement('label')
  label.append(input, text)
  return label
}

function button(text: string, act: () => unknown): HTMLButtonElement {
  const element = document.createElement('button')
  element.type = 'button'
  element.textContent = text
  element.addEventListener('click', () => act())
  return element
}
