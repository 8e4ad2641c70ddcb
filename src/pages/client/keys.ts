import { moveChange } from '../code/client/changes.ts'
import { chooseRow, moveRow } from '../history/client/rows.ts'
import { openPalette, watchPaletteKey } from '../search/client/palette.ts'
import { elementOf, find, findAll } from '../kit/client/dom.ts'
import { pressShortcut, showKeys, watchKeysDialog } from '../kit/client/shortcuts.ts'

const ACTIONS: ReadonlyMap<string, () => void> = new Map([
  ['/', openPalette],
  ['?', showKeys],
  ['j', () => moveRow(1)],
  ['k', () => moveRow(-1)],
  ['a', () => chooseRow('a')],
  ['b', () => chooseRow('b')],
  ['c', () => document.querySelector<HTMLFormElement>('#history')?.requestSubmit()],
  ['f', () => find('main .filter-text')?.focus()],
  ['x', selectRow],
  ['n', () => moveChange(1)],
  ['p', () => moveChange(-1)],
])

/** The time between `g` and the key of a page, in milliseconds. */
const JUMP_MS = 1_000
let jumping = -Infinity

/** Follows the link of the second key of a jump. Returns whether the key was part of one. */
function jump(key: string, timeStamp: number): boolean {
  const isSecond = timeStamp - jumping < JUMP_MS
  jumping = key === 'g' && !isSecond ? timeStamp : -Infinity
  if (!isSecond) return key === 'g'
  const link = findAll('[data-jump]').find(({ dataset }) => dataset['jump'] === key)
  link?.click()
  return link !== undefined
}

/** Selects the row of the focused link, or takes it out of the selection. */
function selectRow(): void {
  const row = document.activeElement?.closest('tr, li')
  row?.querySelector<HTMLElement>('input.row-box')?.click()
}

/**
 * Binds the keyboard shortcuts, except while a field is being typed in. A key is that of a link, a
 * button or a field of the page (`aria-keyshortcuts`), or has an action here.
 */
function watchKeys(): void {
  watchKeysDialog()
  watchPaletteKey()
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey } = event
    const target = elementOf(event)
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 's' && !find('dialog[open]')) {
      if (pressShortcut('Control+S')) event.preventDefault()
      return
    }
    if (ctrlKey || metaKey || altKey || isTyped(target) || find('dialog[open]')) return
    if (moveBar(target, key) || jump(key, event.timeStamp)) return event.preventDefault()
    const action = ACTIONS.get(key)
    const isPressed = pressShortcut(key)
    if (!isPressed && !action) return
    event.preventDefault()
    if (!isPressed) action?.()
  })
}

function isTyped(target: Element | null): boolean {
  if (target?.closest('textarea, select, [contenteditable]')) return true
  const type = target?.closest('input')?.type
  return type !== undefined && !['radio', 'checkbox'].includes(type)
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
])

/** Moves among the bars of days, which are one tab stop. Returns whether the key was for them. */
function moveBar(target: Element | null, key: string): boolean {
  const step = STEPS.get(key)
  const bars = findAll('.bars a')
  const place = bars.findIndex((bar) => bar === target)
  if (step === undefined || place < 0) return false
  const next = bars[place + step]
  if (!next) return true
  bars[place]?.setAttribute('tabindex', '-1')
  next.setAttribute('tabindex', '0')
  next.focus()
  return true
}

watchKeys()
