import { elementOf } from './dom.ts'

/**
 * Shows what the keyboard reaches whole: a browser leaves a control of a row that scrolls cut at its
 * edge. A click moves nothing, or it would miss.
 */
export function watchFocus(): void {
  document.addEventListener('focusin', (event) => {
    const control = elementOf(event)
    if (control?.matches(':is(a, button):focus-visible') !== true) return
    control.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
}
