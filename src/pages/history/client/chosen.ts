import { chosenText } from '../chosen-text.ts'
import { countOf } from '../../kit/words/count.ts'
import { elementOf, find, findAll, findInput } from '../../kit/client/dom.ts'

/** The sides of a comparison, by the names of their inputs. */
export const SIDES = ['a', 'b'] as const
export type ComparisonSide = (typeof SIDES)[number]

/** The revision that is chosen for a side. */
export function picked(side: ComparisonSide): HTMLInputElement | null {
  return findInput(`input[name=${side}]:checked`)
}

function numberOf(input: HTMLInputElement | null): number | null {
  return input === null ? null : Number(input.value.slice(1))
}

/**
 * Shows at the foot of the history which two revisions are compared, and what lies between them.
 */
export function showChosen(): void {
  const [place, details] = [find('#chosen'), find('#chosen-text')]
  const [a, b] = [numberOf(picked('a')), numberOf(picked('b'))]
  if (!place || !details) return
  place.textContent = chosenText({ a, b })
  details.textContent = ''
  if (a === null || b === null) return
  const [low, high] = a < b ? [a, b] : [b, a]
  const rows = findAll('tr.revision').filter(({ dataset: { n } }) => {
    return Number(n) > low && Number(n) <= high
  })
  const people = new Set(rows.map((row) => row.dataset['who'])).size
  const isComplete = rows.length === high - low && people > 0
  details.textContent =
    countOf(high - low, 'revision') +
    (isComplete ? ` by ${countOf(people, 'person', 'people')}` : '')
}

/** The address and the filter keep the choice, so that it is there on other pages of the list. */
export function keepChosen(): void {
  const address = new URL(location.href)
  for (const side of SIDES) {
    const name = picked(side)?.value
    if (name === undefined) continue
    address.searchParams.set(side, name)
    for (const field of findAll<HTMLInputElement>(`.filters input[name=${side}]`)) {
      field.value = name
      field.disabled = false
    }
  }
  history.replaceState(history.state, '', address)
  showChosen()
}

/** Updates the foot when the choice changes. */
export function watchChosen(): void {
  document.addEventListener('change', (event) => {
    if (elementOf(event)?.matches('.letter input')) keepChosen()
  })
}
