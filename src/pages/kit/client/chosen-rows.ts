import { elementOf, find, findAll } from './dom.ts'

function boxes(): HTMLInputElement[] {
  return findAll<HTMLInputElement>('input.row-box')
}

/** Shows how many rows are selected, and which of them cannot be deleted. */
export function showChosenRows(): void {
  const count = find('.chosen-count')
  if (!count) return
  const all = boxes()
  const chosen = all.filter(({ checked }) => checked)
  count.textContent = chosen.length === 0 ? 'None selected' : `${chosen.length} selected`
  for (const box of findAll<HTMLInputElement>('input.all')) {
    box.checked = chosen.length > 0 && chosen.length === all.length
    box.indeterminate = chosen.length > 0 && !box.checked
  }
  const place = find('.obstacles')
  if (!place) return
  const kept = chosen.flatMap((box) => box.closest<HTMLElement>('[data-obstacle]') ?? [])
  const [first] = kept
  const others = kept.length > 1 ? ` and ${kept.length - 1} more` : ''
  place.textContent = first
    ? `${first.dataset['name']}${others} cannot be deleted: it ${first.dataset['obstacle']}.`
    : 'Only idle, disabled agents can be deleted.'
}

export function watchChosenRows(): void {
  document.addEventListener('change', (event) => {
    const target = elementOf(event)
    if (target instanceof HTMLInputElement && target.matches('.all')) {
      for (const box of boxes()) box.checked = target.checked
    }
    showChosenRows()
  })
  showChosenRows()
}
