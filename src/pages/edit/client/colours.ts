import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const STYLE = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--tag)' },
  { tag: tags.attributeName, color: 'var(--attribute)' },
  { tag: [tags.attributeValue, tags.string], color: 'var(--value)' },
  { tag: [tags.comment, tags.processingInstruction], color: 'var(--comment)' },
])

const CODE = { fontFamily: "'JetBrains Mono', ui-monospace, monospace", fontSize: '12.5px' }
/** As exact as the selectors of the theme below this one, which would win otherwise. */
const COMPLETIONS = '.cm-tooltip.cm-tooltip-autocomplete'

const THEME = EditorView.theme({
  '&': { backgroundColor: 'var(--bg)', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { ...CODE, lineHeight: '20px', fontVariantLigatures: 'none' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--panel)',
    color: 'var(--muted)',
    borderRight: '1px solid var(--border)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent', boxShadow: 'inset 2px 0 0 var(--accent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)', color: 'var(--text)' },
  '.cm-searchMatch': { backgroundColor: 'var(--changed-bg)', outline: '1px solid var(--control)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--target)' },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--text)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panel.cm-search': { padding: '8px 12px' },
  '.cm-panel.cm-search [name=close]': { width: '32px' },
  '.cm-textfield, .cm-button': {
    border: '1px solid var(--control)',
    borderRadius: '6px',
    background: 'var(--bg)',
    fontSize: 'inherit',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--bg)',
    color: 'var(--text)',
    border: '1px solid var(--border)',
    borderRadius: '6px',
    overflow: 'hidden',
  },
  [`${COMPLETIONS} > ul`]: { ...CODE, maxHeight: '16em' },
  [`${COMPLETIONS} > ul > li`]: { padding: '2px 10px', lineHeight: '20px' },
  [`${COMPLETIONS} > ul > li[aria-selected]`]: {
    background: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--hover)',
    color: 'var(--text)',
    borderColor: 'var(--border)',
  },
})

/** The colours of both themes, from the variables of the style sheet. */
export const COLOURS: Extension = [THEME, syntaxHighlighting(STYLE)]
