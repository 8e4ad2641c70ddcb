import {
  history,
  historyKeymap,
  indentWithTab,
  moveLineDown,
  moveLineUp,
  standardKeymap,
  toggleComment,
} from '@codemirror/commands'
import { xmlLanguage } from '@codemirror/lang-xml'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
} from '@codemirror/language'
import { type ChangeDesc, EditorState, type Extension } from '@codemirror/state'
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { countOf } from '../../kit/words/count.ts'
import { elementOf } from '../../kit/client/dom.ts'
import { watchOutlineFilter } from '../../snapshot/client/outline-filter.ts'
import { type Check, Checker, type FoundProblem } from './check.ts'
import { COLOURS } from './colours.ts'
import { completion } from './completion.ts'
import { Draft } from './draft.ts'
import { markProblems, PROBLEM_MARKS } from './problem-marks.ts'
import { sendWhenReachable } from './reachable.ts'
import { SEARCH } from './search.ts'

/** The data that the page provides for the editor. */
interface Surface {
  readonly form: HTMLFormElement
  readonly area: HTMLTextAreaElement
}

function open({ form, area }: Surface): void {
  let sinceStart: ChangeDesc | null = null
  const view = new EditorView({
    doc: area.value,
    extensions: [
      ...extensionsOf(area),
      EditorView.updateListener.of(({ docChanged, changes }) => {
        if (!docChanged) return
        sinceStart = sinceStart?.composeDesc(changes.desc) ?? changes.desc
        draft.keep()
        checker.ask()
      }),
    ],
  })
  const text = () => view.state.doc.toString()
  const draft = new Draft({ form, begun: area.defaultValue, text })
  const checker = new Checker({ form, text, show: (check) => show(view, check) })
  const begun = view.state.doc
  area.hidden = true
  area.before(view.dom)
  sendWhenReachable(form, () => {
    area.value = text()
    draft.isSubmitted = true
  })
  draft.offer((kept) => replaceAll(view, kept))
  followProblems(view)
  followOutline((line) => {
    const { from } = begun.line(Math.min(line, begun.lines))
    goTo(view, sinceStart?.mapPos(from, 1) ?? from)
  })
  watchOutlineFilter()
  showInitial(view, form)
}

/** The keys of CodeMirror that XML needs; the complete set would make the page too large. */
const KEYS: readonly KeyBinding[] = [
  { key: 'Mod-/', run: toggleComment },
  { key: 'Alt-ArrowUp', run: moveLineUp },
  { key: 'Alt-ArrowDown', run: moveLineDown },
  ...standardKeymap,
]

/**
 * Types over a selection itself: the browser would keep the look of the selected text in an inline
 * style, which the policy of the page refuses.
 */
const TYPE_OVER = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event
    if (inputType !== 'insertText' || data === null) return false
    if (view.composing || view.state.selection.main.empty) return false
    view.dispatch(view.state.replaceSelection(data), {
      userEvent: 'input.type',
      scrollIntoView: true,
    })
    return true
  },
})

function extensionsOf(area: HTMLTextAreaElement): Extension[] {
  const { firstLine = '1', nonce = '', vocabulary = '', within = '' } = area.dataset
  const first = Number(firstLine)
  return [
    EditorView.cspNonce.of(nonce),
    EditorView.editorAttributes.of({ class: 'editor-view' }),
    EditorView.contentAttributes.of({
      tabindex: '0',
      'aria-labelledby': 'editor-label',
      'aria-describedby': 'editor-help',
    }),
    lineNumbers({ formatNumber: (line) => String(line + first - 1) }),
    foldGutter(),
    PROBLEM_MARKS,
    history(),
    TYPE_OVER,
    highlightSpecialChars(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    indentOnInput(),
    indentUnit.of('  '),
    bracketMatching(),
    SEARCH,
    xmlLanguage,
    completion({ address: vocabulary, within: within.split(' ').filter(Boolean) }),
    COLOURS,
    EditorState.tabSize.of(2),
    keymap.of([...KEYS, ...historyKeymap, ...foldKeymap, indentWithTab]),
  ]
}

function show(view: EditorView, { problems, changes }: Check): void {
  markProblems(view, problems)
  const count = document.querySelector('[data-count]')
  if (count) count.textContent = changes === null ? '' : String(changes)
  const list = document.querySelector('#problems')
  if (list) list.replaceChildren(...(problems.length === 0 ? [] : [summaryOf(problems)]))
}

function summaryOf(problems: readonly FoundProblem[]): HTMLElement {
  const section = document.createElement('section')
  section.className = 'card bad problems'
  const title = document.createElement('h2')
  title.textContent = `Fix ${countOf(problems.length, 'problem')} before saving`
  const list = document.createElement('ul')
  list.className = 'bullets'
  list.append(...problems.slice(0, 50).map(itemOf))
  section.append(title, list)
  return section
}

function itemOf({ line, typedLine, message }: FoundProblem): HTMLLIElement {
  const item = document.createElement('li')
  const text = line === undefined ? message : `Line ${line}: ${message}`
  if (typedLine === null) {
    item.textContent = text
    return item
  }
  const link = document.createElement('a')
  link.href = `#line-${typedLine}`
  link.dataset['line'] = String(typedLine)
  link.textContent = text
  item.append(link)
  return item
}

/** Links of problems lead to their lines in the editor. */
function followProblems(view: EditorView): void {
  document.addEventListener('click', (event) => {
    const link = elementOf(event)?.closest<HTMLElement>('[data-line]')
    if (!link) return
    event.preventDefault()
    goTo(view, view.state.doc.line(Math.min(lineOf(link), view.state.doc.lines)).from)
  })
}

/** Links of the outline lead to places of the editor, instead of to an editor of the entity alone. */
function followOutline(follow: (line: number) => void): void {
  document.querySelector('.outline')?.addEventListener('click', (event) => {
    const link = elementOf(event)?.closest<HTMLElement>('a[data-first]')
    if (!link || !(event instanceof MouseEvent) || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    follow(Number(link.dataset['first']))
  })
}

function goTo(view: EditorView, position: number): void {
  view.dispatch({
    selection: { anchor: position },
    effects: EditorView.scrollIntoView(position, { y: 'center' }),
  })
  view.focus()
}

function lineOf(link: HTMLElement): number {
  return Number(link.dataset['line'])
}

/** Marks the problems that the page was rendered with. */
function showInitial(view: EditorView, form: HTMLFormElement): void {
  const links = [...form.ownerDocument.querySelectorAll<HTMLElement>('#problems [data-line]')]
  markProblems(
    view,
    links.map((link) => ({ typedLine: lineOf(link), message: link.textContent })),
  )
  const first = links[0]
  if (!first) return
  const line = view.state.doc.line(Math.min(lineOf(first), view.state.doc.lines))
  view.dispatch({ effects: EditorView.scrollIntoView(line.from, { y: 'center' }) })
}

function replaceAll(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
}

const area = document.querySelector('textarea[data-editor]')
if (area instanceof HTMLTextAreaElement && area.form) open({ form: area.form, area })
