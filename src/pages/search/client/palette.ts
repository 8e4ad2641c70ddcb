import { countOf } from '../../kit/words/count.ts'
import { elementOf, find, findAll, runDetached } from '../../kit/client/dom.ts'

/** The answer of the server; the same as its page of results. */
interface Results {
  readonly groups: readonly {
    readonly title: string
    readonly count: number
    readonly hits: readonly {
      readonly title: string
      readonly detail: string
      readonly time?: number
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
  if (!(input instanceof HTMLInputElement)) return
  input.select()
  if (input.value === '') ask(palette, form, '')
}

function ask(palette: HTMLElement, { dataset }: HTMLElement, text: string): void {
  const address = `${dataset['results']}?q=${encodeURIComponent(text)}`
  runDetached(showResults(palette, address, text))
}

type Hit = Results['groups'][number]['hits'][number]

/** Results that were opened last are kept in the browser under this name. */
const RECENT = 'cairn-recent'
const MAX_RECENT = 5

function recentHits(): readonly Hit[] {
  const kept: unknown = JSON.parse(localStorage.getItem(RECENT) ?? '[]')
  return Array.isArray(kept) ? kept.filter(isHit) : []
}

function isHit(kept: unknown): kept is Hit {
  const texts = ['title', 'detail', 'href'] as const
  return (
    typeof kept === 'object' &&
    kept !== null &&
    texts.every((name) => typeof Reflect.get(kept, name) === 'string')
  )
}

/** Opens a result, which is then among the recent ones. */
function open({ dataset }: HTMLElement): void {
  const { href = '', title = '', detail = '' } = dataset
  const others = recentHits().filter((hit) => hit.href !== href)
  const recent = [{ title, detail, href }, ...others].slice(0, MAX_RECENT)
  if (title !== '') localStorage.setItem(RECENT, JSON.stringify(recent))
  location.href = href
}

function buildPalette(form: HTMLFormElement): HTMLDialogElement {
  const palette = document.createElement('dialog')
  palette.id = 'palette'
  palette.className = 'palette'
  palette.setAttribute('aria-label', 'Search')
  const input = document.createElement('input')
  for (const [name, value] of Object.entries({
    type: 'text',
    role: 'combobox',
    placeholder: 'Pipelines, agents, pages, actions, revisions, people, text of the history',
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
      ask(palette, form, input.value)
    }, REST_MS)
  })
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') choose(palette, event)
    else if (event.key === 'Enter') {
      event.preventDefault()
      const chosen = find('[aria-selected="true"]', palette)
      if (chosen) open(chosen)
      else location.href = `${form.action}?q=${encodeURIComponent(input.value)}`
    }
  })
  palette.addEventListener('click', (event) => {
    const option = elementOf(event)?.closest<HTMLElement>('[role=option]')
    if (option) open(option)
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
async function showResults(palette: HTMLElement, address: string, text: string): Promise<void> {
  const question = (asked += 1)
  const answer = await fetch(address).catch(() => null)
  if (question !== asked) return
  const results: Results = answer?.ok ? await answer.json() : NOTHING
  if (question !== asked) return
  const list = find('[role=listbox]', palette)
  const recent = text === '' ? recentHits() : []
  const before =
    recent.length === 0 ? [] : [{ title: 'Recent', count: recent.length, hits: recent }]
  list?.replaceChildren(...[...before, ...results.groups].flatMap(renderGroup))
  list?.removeAttribute('aria-busy')
  for (const [n, option] of findAll('[role=option]', palette).entries()) option.id = `result-${n}`
  select(palette, find('[role=option]', palette))
  const count = results.groups.reduce((sum, group) => sum + group.count, 0)
  const status = find('.found-count', palette)
  const total = answer?.ok ? countOf(count, 'result') : 'The server does not answer.'
  const limits = [results.indexing, results.away].flatMap((limit) => limit ?? [])
  if (status) status.textContent = limits.length === 0 ? total : `${[total, ...limits].join('. ')}.`
}

function renderGroup({ title, count, hits }: Results['groups'][number]): HTMLElement[] {
  const head = element('div', { role: 'presentation' })
  head.textContent = `${title} (${count})`
  const options = hits.map((hit) => {
    const option = element('div', {
      role: 'option',
      'aria-selected': 'false',
      'data-href': hit.href,
      'data-title': hit.title,
      'data-detail': hit.detail,
    })
    const detail = element('span', { class: 'muted' })
    detail.textContent = ` ${hit.detail}`
    if (hit.time !== undefined) detail.append(', ', timeElement(hit.time))
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
  select(palette, next ?? null)
}

function select(palette: HTMLElement, chosen: HTMLElement | null): void {
  const input = find('input', palette)
  if (!chosen) return input?.removeAttribute('aria-activedescendant')
  for (const option of findAll('[role=option]', palette)) {
    option.ariaSelected = String(option === chosen)
  }
  input?.setAttribute('aria-activedescendant', chosen.id)
  chosen.scrollIntoView({ block: 'nearest' })
}

/** A time, which is shown on the clock of the reader as those of the page are. */
function timeElement(time: number): HTMLElement {
  const datetime = new Date(time).toISOString()
  return element('time', { datetime, 'data-when': 'moment' })
}

function element(
  tag: 'div' | 'p' | 'span' | 'time',
  attributes: Readonly<Record<string, string>>,
): HTMLElement {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  return made
}
