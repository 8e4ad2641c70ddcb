import { elementOf, find, findAll } from '../../kit/client/dom.ts'

function boxes(): HTMLInputElement[] {
  return findAll<HTMLInputElement>('input[name=agent]')
}

/** Shows how many agents are selected, and which of them cannot be deleted. */
export function showChosenAgents(): void {
  const count = find('.chosen-count')
  if (!count) return
  const chosen = boxes().filter(({ checked }) => checked)
  count.textContent = chosen.length === 0 ? 'None selected' : `${chosen.length} selected`
  const rows = chosen.flatMap((box) => box.closest('tr') ?? [])
  const kept = rows.filter(({ dataset }) => dataset['obstacle'])
  const [first] = kept
  const others = kept.length > 1 ? ` and ${kept.length - 1} more` : ''
  const place = find('.obstacles')
  if (!place) return
  place.textContent = first
    ? `${first.dataset['name']}${others} cannot be deleted: it ${first.dataset['obstacle']}.`
    : 'Only idle, disabled agents can be deleted.'
}

export function watchChosenAgents(): void {
  document.addEventListener('change', (event) => {
    const target = elementOf(event)
    if (target instanceof HTMLInputElement && target.matches('.all')) {
      for (const box of boxes()) box.checked = target.checked
    }
    showChosenAgents()
  })
  showChosenAgents()
}
