import {
  closeSearchPanel,
  findNext,
  findPrevious,
  openSearchPanel,
  search,
} from '@codemirror/search'
import { EditorState, type Extension, Prec } from '@codemirror/state'
import { type KeyBinding, keymap } from '@codemirror/view'

const SCOPE = 'editor search-panel'

/** The library's keys for its panel alone: the complete set would make the page too large. */
const KEYS: readonly KeyBinding[] = [
  { key: 'Mod-f', run: openSearchPanel, scope: SCOPE },
  { key: 'F3', run: findNext, shift: findPrevious, scope: SCOPE, preventDefault: true },
  { key: 'Mod-g', run: findNext, shift: findPrevious, scope: SCOPE, preventDefault: true },
  { key: 'Escape', run: closeSearchPanel, scope: SCOPE },
]

/** The labels of the panel, as other buttons of the pages are written. */
const LABELS = {
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
}

/** Find and replace in a panel above the text. */
export const SEARCH: Extension = [
  search({ top: true }),
  EditorState.phrases.of(LABELS),
  Prec.high(keymap.of([...KEYS])),
]
