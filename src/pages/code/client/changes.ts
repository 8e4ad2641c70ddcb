import { elementOf, find, findAll, runDetached } from '../../frame/client/dom.ts'

let at = -1

/** Moves from change to change in a comparison. */
export function moveChange(by: number): void {
  const rows = findAll('tr.first')
  if (rows.length === 0) return
  const next = at + by
  if (next >= rows.length) find('.more-regions [rel=next]')?.focus()
  at = Math.max(0, Math.min(rows.length - 1, next))
  find('tr.here')?.classList.remove('here')
  const row = rows[at]
  if (!row) return
  row.classList.add('here')
  row.scrollIntoView({ block: 'center' })
  showPlace(row)
}

function showPlace({ id }: HTMLElement): void {
  const place = find('#step')
  const [, total] = place?.textContent.split(' of ') ?? []
  const number = id.slice(1)
  if (place && number) place.textContent = `Change ${number} of ${total}`
}

/** Binds the buttons of a comparison: steps, foldable parts, and copying a patch. */
export function watchButtons(): void {
  document.addEventListener('click', (event) => {
    const button = elementOf(event)?.closest<HTMLElement>('#step-up, #step-down, .fold, .copy')
    if (!button) return
    if (button.matches('.fold')) fold(button)
    else if (button.matches('.copy')) runDetached(copy(button))
    else {
      event.preventDefault()
      moveChange(button.id === 'step-down' ? 1 : -1)
    }
  })
}

function fold(button: HTMLElement): void {
  const table = document.getElementById(button.getAttribute('aria-controls') ?? '')
  if (!table) return
  table.hidden = !table.hidden
  button.setAttribute('aria-expanded', String(!table.hidden))
}

async function copy(button: HTMLElement): Promise<void> {
  try {
    const answer = await fetch(button.dataset['copy'] ?? '')
    if (!answer.ok) throw new Error(answer.statusText)
    await navigator.clipboard.writeText(await answer.text())
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Could not copy'
  }
}
