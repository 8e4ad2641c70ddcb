import { elementOf, find, findAll } from './dom.ts'

/** The links, buttons and fields that keys act on; what the page has for a key outranks the bar. */
function targets(): ReadonlyMap<string, HTMLElement> {
  const found = new Map<string, HTMLElement>()
  for (const each of [...findAll('main [aria-keyshortcuts]'), ...findAll('[aria-keyshortcuts]')]) {
    const key = each.getAttribute('aria-keyshortcuts') ?? ''
    const isThere = each.closest('dialog') === null && each.checkVisibility()
    if (isThere && !found.has(key)) found.set(key, each)
  }
  return found
}

/** Follows the link, presses the button or enters the field that has this shortcut. */
export function pressShortcut(key: string): boolean {
  const target = targets().get(key)
  if (!target) return false
  if (target.matches('input, select, textarea')) target.focus()
  else target.click()
  return true
}

/** Opens the list of shortcuts; the browser closes it with Escape and gives the focus back. */
export function showKeys(): void {
  const dialog = find('#keys')
  if (!(dialog instanceof HTMLDialogElement) || dialog.open) return
  for (const group of findAll('[data-on]', dialog)) {
    group.hidden = find(group.dataset['on'] ?? '') === null
  }
  find('.of-page', dialog)?.remove()
  find('table', dialog)?.append(ownShortcuts())
  dialog.showModal()
}

/** The links that open and close the list, which work without a script too. */
export function watchKeysDialog(): void {
  document.addEventListener('click', (event) => {
    const link = elementOf(event)?.closest('a[href="#keys"], #keys .close')
    if (!link) return
    event.preventDefault()
    if (link.matches('.close')) link.closest('dialog')?.close()
    else showKeys()
  })
}

function ownShortcuts(): HTMLElement {
  const group = document.createElement('tbody')
  group.className = 'of-page'
  const own = targets()
  if (own.size > 0) group.append(row(cell('th', 'This page')))
  for (const [key, target] of own) {
    const keyCell = document.createElement('td')
    keyCell.append(cell('kbd', key))
    group.append(row(keyCell, cell('td', nameOf(target))))
  }
  return group
}

function row(...cells: readonly HTMLElement[]): HTMLElement {
  const made = document.createElement('tr')
  made.append(...cells)
  return made
}

function cell(tag: 'th' | 'td' | 'kbd', text: string): HTMLElement {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}

function nameOf(element: HTMLElement): string {
  return element.getAttribute('aria-label') ?? (element.title || element.textContent).trim()
}
