import { countOf } from '../../kit/count.ts'
import { elementOf, find, findAll, runDetached } from '../../kit/client/dom.ts'

/** The answer of the server; the same as its page of results. */
interface Results {
  readonly groups: readonly {
    readonly title: string
    readonly count: number
    readonly hits: readonly {
      readonly title: string
      readonly detail: string
      readonly href: string
    }[]
  }[]
  readonly indexing: string | null
  readonly away: string | null
}

const NOTHING: Results = { groups: [], indexing: null, away: null }

/** How long typing has to rest before the server is asked, in milliseconds. */
const REST_MS = 150

let asked = 0
let resting = 0

/** Opens the palette with Ctrl-K, also while a field is being typed in. */
export function watchPaletteKey(): void {
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event
    if (key.toLowerCase() !== 'k' || !(ctrlKey || metaKey) || altKey || shiftKey) return
    if (find('.bar-search') === null) return
    event.preventDefault()
    openPalette()
  })
}

/**
 * Opens the search over the page. Arrows choose a result, Enter opens it, or the page of all results
 * when none is chosen. The browser closes the dialog with Escape and gives the focus back.
 */
export function openPalette(): void {
  const form = find('.bar-search')
  if (!(form instanceof HTMLFormElement) || find('dialog[open]')) return
  const palette = find('#palette') ?? buildPalette(form)
  if (!(palette instanceof HTMLDialogElement)) return
  palette.showModal()
  const input = find('input', palette)
  if (input instanceof HTMLInputElement) input.select()
}

function buildPalette({ action, dataset }: HTMLFormElement): HTMLDialogElement {
  const palette = document.createElement('dialog')
  palette.id = 'palette'
  palette.className = 'palette'
  palette.setAttribute('aria-label', 'Search')
  const input = document.createElement('input')
  for (const [name, value] of Object.entries({
    type: 'text',
    role: 'combobox',
    placeholder: 'Pipelines, agents, revisions, people, text of the history',
    autocomplete: 'off',
    maxlength: '1000',
    'aria-label': 'Search for',
    'aria-expanded': 'true',
    'aria-controls': 'palette-results',
    'aria-autocomplete': 'list',
  }))
    input.setAttribute(name, value)
  const list = element('div', { id: 'palette-results', role: 'listbox', 'aria-label': 'Results' })
  palette.append(input, list, element('p', { class: 'found-count', role: 'status' }))
  input.addEventListener('input', () => {
    forget(palette)
    clearTimeout(resting)
    resting = window.setTimeout(() => {
      runDetached(
        showResults(palette, `${dataset['results']}?q=${encodeURIComponent(input.value)}`),
      )
    }, REST_MS)
  })
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') choose(palette, event)
    else if (event.key === 'Enter') {
      event.preventDefault()
      location.href =
        find('[aria-selected="true"]', palette)?.dataset['href'] ??
        `${action}?q=${encodeURIComponent(input.value)}`
    }
  })
  palette.addEventListener('click', (event) => {
    const href = elementOf(event)?.closest<HTMLElement>('[role=option]')?.dataset['href']
    if (href !== undefined) location.href = href
    else if (event.target === palette) palette.close()
  })
  document.body.append(palette)
  return palette
}

/** Results of an earlier question stay in sight, and cannot be chosen: the list is busy until the next ones. */
function forget(palette: HTMLElement): void {
  asked += 1
  find('[role=listbox]', palette)?.setAttribute('aria-busy', 'true')
  find('[aria-selected="true"]', palette)?.setAttribute('aria-selected', 'false')
  find('input', palette)?.removeAttribute('aria-activedescendant')
}

/** An answer that comes after a later question is passed over. */
async function showResults(palette: HTMLElement, address: string): Promise<void> {
  const question = (asked += 1)
  const answer = await fetch(address).catch(() => null)
  if (question !== asked) return
  const results: Results = answer?.ok ? await answer.json() : NOTHING
  if (question !== asked) return
  const list = find('[role=listbox]', palette)
  list?.replaceChildren(...results.groups.flatMap(renderGroup))
  list?.removeAttribute('aria-busy')
  for (const [n, option] of findAll('[role=option]', palette).entries()) option.id = `result-${n}`
  find('input', palette)?.removeAttribute('aria-activedescendant')
  const count = results.groups.reduce((sum, group) => sum + group.count, 0)
  const status = find('.found-count', palette)
  const text = answer?.ok ? countOf(count, 'result') : 'The server does not answer.'
  const limits = [results.indexing, results.away].flatMap((limit) => limit ?? [])
  if (status) status.textContent = limits.length === 0 ? text : `${[text, ...limits].join('. ')}.`
}

function renderGroup({ title, count, hits }: Results['groups'][number]): HTMLElement[] {
  const head = element('div', { role: 'presentation' })
  head.textContent = `${title} (${count})`
  const options = hits.map((hit) => {
    const option = element('div', {
      role: 'option',
      'aria-selected': 'false',
      'data-href': hit.href,
    })
    const detail = element('span', { class: 'muted' })
    detail.textContent = ` ${hit.detail}`
    option.append(hit.title, detail)
    return option
  })
  return [head, ...options]
}

function choose(palette: HTMLElement, event: KeyboardEvent): void {
  event.preventDefault()
  if (find('[role=listbox]', palette)?.ariaBusy === 'true') return
  const options = findAll('[role=option]', palette)
  const before = options.findIndex((option) => option.ariaSelected === 'true')
  const down = event.key === 'ArrowDown' ? before + 1 : before - 1
  const next = options[Math.max(0, Math.min(options.length - 1, down))]
  if (!next) return
  for (const option of options) option.ariaSelected = String(option === next)
  find('input', palette)?.setAttribute('aria-activedescendant', next.id)
  next.scrollIntoView({ block: 'nearest' })
}

function element(
  tag: 'div' | 'p' | 'span',
  attributes: Readonly<Record<string, string>>,
): HTMLElement {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  return made
}
