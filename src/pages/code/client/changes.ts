import { elementOf, find, findAll } from '../../kit/client/dom.ts'

/** Moves from change to change in a comparison, to those on its other pages too. */
export function moveChange(by: number): void {
  const changes = findAll('.change[id]')
  const here = find('.change.here')
  const change = changes[(here ? changes.indexOf(here) : by > 0 ? -1 : changes.length) + by]
  if (change) return showChange(change)
  const link = document.querySelector<HTMLAnchorElement>(by > 0 ? '#step-down' : '#step-up')
  if (link && link.search !== location.search) location.assign(link.href)
}

function showChange(change: HTMLElement): void {
  find('.change.here')?.classList.remove('here')
  change.classList.add('here')
  const [first] = findAll('td', change).filter(({ offsetParent }) => offsetParent !== null)
  first?.scrollIntoView({ block: 'center' })
  const place = find('#step')
  if (place) place.textContent = `Change ${change.id.slice(1)} of ${place.dataset['total']}`
}

/** The change that the address names is the one to step from. */
export function watchNamedChange(): void {
  addEventListener('hashchange', showNamedChange)
  showNamedChange()
}

function showNamedChange(): void {
  // The browser may not know its target yet.
  const change = document.getElementById(location.hash.slice(1))
  if (change?.matches('.change')) showChange(change)
}

/**
 * Binds the buttons of a comparison: steps and foldable parts. The search of the browser opens a part
 * in which it finds something.
 */
export function watchButtons(): void {
  document.addEventListener('click', (event) => {
    const button = elementOf(event)?.closest<HTMLElement>('#step-up, #step-down, .fold')
    if (!button) return
    if (button.matches('.fold')) fold(button)
    else {
      event.preventDefault()
      moveChange(button.id === 'step-down' ? 1 : -1)
    }
  })
  document.addEventListener('beforematch', (event) => {
    find(`[aria-controls="${elementOf(event)?.id}"]`)?.setAttribute('aria-expanded', 'true')
  })
}

function fold(button: HTMLElement): void {
  const part = document.getElementById(button.getAttribute('aria-controls') ?? '')
  const isOpen = part?.hasAttribute('hidden') === true
  if (isOpen) part.removeAttribute('hidden')
  else part?.setAttribute('hidden', 'until-found')
  button.setAttribute('aria-expanded', String(isOpen))
}
