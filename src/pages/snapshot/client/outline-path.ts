import { find, findAll, findLink } from '../../kit/client/dom.ts'

interface Entry {
  readonly link: HTMLElement
  readonly kind: string | undefined
  /** Its name in the history, such as `pipeline/checkout`. */
  readonly entity: string | undefined
  readonly name: string
  readonly first: number
  readonly last: number
}

/** Shows the path of the topmost visible line in the bar, and marks it in the outline. */
export function showPathOfTopLine(): void {
  const [outline, bar, path] = [find('.outline'), find('.file-bar'), find('#path')]
  if (!outline || !bar || !path) return
  const entries = findAll('[data-first]', outline).map(entryOf)
  const show = () => showPath({ entries, path, line: topLine(bar) })
  let isWaiting = false
  const soon = () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      show()
    })
  }
  addEventListener('scroll', soon, { passive: true })
  addEventListener('resize', soon)
  if (scrollY > 0 || location.hash) soon()
}

function entryOf(link: HTMLElement): Entry {
  const { kind, entity, first, last } = link.dataset
  return { link, kind, entity, name: link.textContent, first: Number(first), last: Number(last) }
}

/** The first visible line of the document below the bar. */
function topLine(bar: HTMLElement): number | null {
  const { left, bottom } = bar.getBoundingClientRect()
  const below = Math.max(bottom, 0) + 12
  const line = document.elementsFromPoint(left + 20, below).find((each) => each.matches('.l'))
  return line ? Number(line.id.slice(1)) : null
}

function showPath(look: { entries: Entry[]; path: HTMLElement; line: number | null }): void {
  const { entries, path, line } = look
  if (line === null || entries.length === 0) return
  const open = entries.filter(({ first, last }) => first <= line && line <= last)
  const parts = open.flatMap(({ kind, name }, n) => [
    ...(n > 0 ? [element('span', ' › ', 'muted')] : []),
    ...(name === kind ? [] : [element('span', `${kind} `, 'muted')]),
    element('b', name, ''),
  ])
  path.replaceChildren(...(parts.length > 0 ? parts : [element('span', `line ${line}`, 'muted')]))
  showHistoryLink(open.findLast(({ entity }) => entity !== undefined)?.entity)
  const innermost = open.at(-1)?.link
  for (const { link } of entries) {
    if (link === innermost) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
}

/** Leads to the history of the entity that the top line is part of. */
function showHistoryLink(entity: string | undefined): void {
  const link = findLink('#path-history')
  if (!link) return
  link.hidden = entity === undefined
  const [, kind = '', name = ''] = /^([^/]*)\/?(.*)$/s.exec(entity ?? '') ?? []
  const path = [kind, name].filter((part) => part !== '').map(encodeURIComponent)
  link.href = `${link.dataset['entities']}${path.join('/')}`
  const of = find('.visually-hidden', link)
  if (of) of.textContent = ` of ${kind} ${name}`
}

function element(name: 'span' | 'b', text: string, className: string): HTMLElement {
  return Object.assign(document.createElement(name), { textContent: text, className })
}
