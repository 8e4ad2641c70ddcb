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
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { type Check, Checker, type FoundProblem } from './check.ts'
import { Draft } from './draft.ts'
import { COLOURS } from './colours.ts'
import { sendWhenReachable } from './reachable.ts'

/** The data that the page provides for the editor. */
interface Surface {
  readonly form: HTMLFormElement
  readonly area: HTMLTextAreaElement
}

function open({ form, area }: Surface): void {
  const draft = new Draft(form, area)
  const view = new EditorView({
    doc: area.value,
    extensions: extensionsOf(area, () => changed()),
  })
  const checker = new Checker(form, (check) => show(view, check))
  const changed = () => {
    area.value = view.state.doc.toString()
    draft.keep()
    checker.ask()
  }
  area.hidden = true
  area.before(view.dom)
  view.dom.classList.add('editor-view')
  sendWhenReachable(form, () => {
    area.value = view.state.doc.toString()
    draft.isSubmitted = true
  })
  draft.offer((text) => replaceAll(view, text))
  followLinks(view)
  showInitial(view, form)
}

/** The keys of CodeMirror that XML needs; the complete set would make the page too large. */
const KEYS: readonly KeyBinding[] = [
  { key: 'Mod-/', run: toggleComment },
  { key: 'Alt-ArrowUp', run: moveLineUp },
  { key: 'Alt-ArrowDown', run: moveLineDown },
  ...standardKeymap,
]

function extensionsOf(area: HTMLTextAreaElement, changed: () => void): Extension[] {
  const first = Number(area.dataset['firstLine'] ?? '1')
  return [
    EditorView.cspNonce.of(area.dataset['nonce'] ?? ''),
    EditorView.contentAttributes.of({
      tabindex: '0',
      'aria-labelledby': 'editor-label',
      'aria-describedby': 'editor-help',
    }),
    lineNumbers({ formatNumber: (line) => String(line + first - 1) }),
    foldGutter(),
    lintGutter(),
    history(),
    highlightSpecialChars(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of('  '),
    bracketMatching(),
    search({ top: true }),
    xmlLanguage,
    COLOURS,
    EditorState.tabSize.of(2),
    keymap.of([...searchKeymap, ...KEYS, ...historyKeymap, ...foldKeymap, indentWithTab]),
    EditorView.updateListener.of(({ docChanged }) => {
      if (docChanged) changed()
    }),
  ]
}

function show(view: EditorView, { problems, changes }: Check): void {
  mark(view, problems)
  const count = document.querySelector('[data-count]')
  if (count) count.textContent = changes === null ? '' : String(changes)
  const list = document.querySelector('#problems')
  if (list) list.replaceChildren(...(problems.length === 0 ? [] : [summaryOf(problems)]))
}

function mark(view: EditorView, problems: readonly FoundProblem[]): void {
  const { doc } = view.state
  const diagnostics = problems.flatMap(({ typedLine, message }) => {
    if (typedLine === null || typedLine > doc.lines) return []
    const { from, to, text } = doc.line(typedLine)
    const start = from + (text.length - text.trimStart().length)
    return [{ from: Math.min(start, to), to, severity: 'error' as const, message }]
  })
  view.dispatch(setDiagnostics(view.state, diagnostics))
}

function summaryOf(problems: readonly FoundProblem[]): HTMLElement {
  const section = document.createElement('section')
  section.className = 'card problems'
  const title = document.createElement('h2')
  const subject = problems.length === 1 ? '1 problem stops' : `${problems.length} problems stop`
  title.textContent = `${subject} this from being saved`
  const list = document.createElement('ul')
  list.append(...problems.slice(0, 50).map(itemOf))
  section.append(title, list)
  return section
}

function itemOf({ line, typedLine, message }: FoundProblem): HTMLLIElement {
  const item = document.createElement('li')
  const text = line === null ? message : `Line ${line}: ${message}`
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
function followLinks(view: EditorView): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('[data-line]') : null
    if (!(link instanceof HTMLElement)) return
    event.preventDefault()
    const line = Math.min(Number(link.dataset['line']), view.state.doc.lines)
    const { from } = view.state.doc.line(line)
    view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    })
    view.focus()
  })
}

/** Marks the problems that the page was rendered with. */
function showInitial(view: EditorView, form: HTMLFormElement): void {
  const links = [...form.ownerDocument.querySelectorAll<HTMLElement>('#problems [data-line]')]
  mark(
    view,
    links.map((link) => ({
      line: null,
      typedLine: Number(link.dataset['line']),
      message: link.textContent ?? '',
    })),
  )
  const first = links[0]
  if (!first) return
  const line = view.state.doc.line(Math.min(Number(first.dataset['line']), view.state.doc.lines))
  view.dispatch({ effects: EditorView.scrollIntoView(line.from, { y: 'center' }) })
}

function replaceAll(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
}

const area = document.querySelector('textarea[data-editor]')
if (area instanceof HTMLTextAreaElement && area.form) open({ form: area.form, area })
