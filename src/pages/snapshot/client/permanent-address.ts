import { elementOf, find } from '../../frame/client/dom.ts'

/**
 * Turns the address of the current configuration into that of its revision as soon as it names a
 * line, without loading the page again: after the next save, the line would be another one.
 */
export function keepPermanentAddress(): void {
  const address = find('.snapshot')?.dataset['address']
  if (address === undefined) return
  const permanent = new URL(address, location.href).href
  const settle = () => {
    if (location.hash !== '') history.replaceState(null, '', permanent + location.hash)
  }
  addEventListener('hashchange', settle)
  settle()
  document.addEventListener('click', (event) => {
    const link = elementOf(event)?.closest('a')
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (!link || link.hash === '' || !isPlain || link.href !== permanent + link.hash) return
    event.preventDefault()
    location.hash = link.hash
  })
}
