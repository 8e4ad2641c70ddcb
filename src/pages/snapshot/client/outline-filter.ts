import { find, findAll, findInput } from '../../kit/client/dom.ts'

/** Shows the outline entries that contain the typed text, with their parents. */
export function watchOutlineFilter(): void {
  const [outline, filter] = [find('.outline'), findInput('#outline-filter')]
  if (!outline || !filter) return
  filter.addEventListener('input', () => filterOutline(outline, filter.value.trim().toLowerCase()))
}

function filterOutline(outline: HTMLElement, wanted: string): void {
  for (const item of findAll('li', outline)) {
    const own = item.closest('li li') ? item.parentElement?.closest('li') : null
    const isWithin = own ? ownName(own).includes(wanted) : false
    item.hidden = wanted !== '' && !matches(item, wanted) && !isWithin
  }
  for (const group of findAll<HTMLDetailsElement>('details', outline)) {
    const wasOpen = (group.dataset['was'] ??= String(group.open))
    group.open = wanted === '' ? wasOpen === 'true' : matches(group, wanted)
  }
}

function matches(item: HTMLElement, wanted: string): boolean {
  return item.textContent.toLowerCase().includes(wanted)
}

function ownName(item: HTMLElement): string {
  return (find(':scope > a, :scope > details > summary', item)?.textContent ?? '').toLowerCase()
}
