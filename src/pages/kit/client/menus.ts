import { elementOf, find, findAll } from './dom.ts'

/** Menus over the page, in `details`: a browser closes them by their own button alone. */
const OPEN = '.more[open]:has(> .fields)'

/** Closes an open menu with a click elsewhere, and with Escape, which leads back to its button. */
export function watchMenus(): void {
  document.addEventListener('click', (event) => {
    const target = elementOf(event)
    for (const menu of findAll<HTMLDetailsElement>(OPEN)) {
      if (!menu.contains(target)) menu.open = false
    }
  })
  document.addEventListener('keydown', ({ key }) => {
    const menu = key === 'Escape' ? find(OPEN) : null
    if (!(menu instanceof HTMLDetailsElement)) return
    menu.open = false
    find('summary', menu)?.focus()
  })
}
