import { findAll } from './dom.ts'

/**
 * Tells a control from all others of its part. The buttons of two runs have the same name and
 * value, so what their forms send and the element with an id around them count too.
 */
export function controlKey(element: Element): string {
  if (element.id) return `#${element.id}`
  const form = element.closest('[data-part] form')
  const sent = form ? findAll<HTMLInputElement>('input[type=hidden]', form) : []
  return JSON.stringify([
    element.tagName,
    element.closest('[id]')?.id,
    ...['href', 'name', 'value'].map((name) => element.getAttribute(name)),
    element instanceof HTMLButtonElement && element.textContent,
    form?.getAttribute('action'),
    sent.map(({ name, value }) => [name, value]),
  ])
}

/** The control that has the focus in an element, by its key; null when none has. */
export function focusedIn(element: Element): string | null {
  const { activeElement } = document
  return activeElement && element.contains(activeElement) ? controlKey(activeElement) : null
}

/** Focuses the control with this key, and no other one when there is none. */
export function refocus(element: Element, key: string): void {
  const controls = findAll('a, button, input, summary, [tabindex]', element)
  controls.find((each) => controlKey(each) === key)?.focus({ preventScroll: true })
}
