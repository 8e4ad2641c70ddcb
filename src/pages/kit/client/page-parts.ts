import { elementOf, find, findAll } from './dom.ts'
import { focusedIn, controlKey, refocus } from './same-control.ts'

/** The live parts of a page, by name. */
function partsOf(page: ParentNode): ReadonlyMap<string, HTMLElement> {
  return new Map(findAll('[data-part]', page).map((part) => [part.dataset['part'] ?? '', part]))
}

/** The content of a part without its times: they update by themselves and need no replacement. */
function factsOf(part: HTMLElement): string {
  const copy = document.createElement('div')
  copy.append(part.cloneNode(true))
  for (const time of findAll('time, [data-since], [data-until]', copy)) time.textContent = ''
  return copy.innerHTML
}

const shown = new Map([...partsOf(document)].map(([name, part]) => [name, factsOf(part)]))

/** An element under a pressed pointer is not replaced. */
let pressed: Element | null = null

export function watchPointer(): void {
  document.addEventListener('pointerdown', (event) => {
    pressed = elementOf(event)
  })
  for (const end of ['pointerup', 'pointercancel']) {
    document.addEventListener(end, () => {
      setTimeout(() => {
        pressed = null
      })
    })
  }
}

/** Replaces the parts that have changed. Returns false when the new page has other parts. */
export function replaceParts(page: Document): boolean {
  const [current, fresh] = [partsOf(document), partsOf(page)]
  const hasSame =
    current.size === fresh.size && [...fresh.keys()].every((name) => current.has(name))
  if (!hasSame) return false
  for (const [name, part] of fresh) {
    const facts = factsOf(part)
    const old = current.get(name)
    if (!old || shown.get(name) === facts || old.contains(pressed)) continue
    shown.set(name, facts)
    replace(old, part)
  }
  return true
}

/** Replaces a part, and keeps typed text, choices, opened details and the focus. */
function replace(old: HTMLElement, fresh: HTMLElement): void {
  const checked = new Set(findAll('input:checked', old).map(controlKey))
  const open = new Map(
    findAll<HTMLDetailsElement>('details', old).map((each) => [each.id, each.open]),
  )
  const fields = findAll<HTMLInputElement>('input[type=text]', old)
  const typed = new Map(fields.map(({ id, value }) => [id, value]))
  const focused = focusedIn(old)
  old.replaceWith(document.adoptNode(fresh))
  for (const input of findAll<HTMLInputElement>('input', fresh)) {
    if (checked.has(controlKey(input))) input.checked = true
  }
  for (const input of findAll<HTMLInputElement>('input[type=text]', fresh)) {
    input.value = typed.get(input.id) ?? input.value
  }
  for (const details of findAll<HTMLDetailsElement>('details', fresh)) {
    details.open = open.get(details.id) ?? details.open
  }
  if (focused !== null) refocus(fresh, focused)
}

/** Shows above the content why it may be outdated; an empty text hides the notice. */
export function showStale(text: string): void {
  for (const place of findAll('.stale-notice')) {
    if (place.textContent !== text) place.textContent = text
  }
}

/** The element that holds the address and the interval of live updates. */
export function livePart(): HTMLElement | null {
  return find('[data-live]')
}
