// The snapshot: the place of the line at the top, and the filter of the outline.
const outline = document.querySelector('.outline')
const bar = document.querySelector('.file-bar')
const path = document.querySelector('#path')

const entries = [...(outline?.querySelectorAll('[data-first]') ?? [])].map((link) => ({
  link,
  kind: link.dataset.kind,
  name: link.textContent,
  first: Number(link.dataset.first),
  last: Number(link.dataset.last),
}))

// What is at the top of what can be seen of the file, below the bar.
const topLine = () => {
  const { left, bottom } = bar.getBoundingClientRect()
  const below = Math.max(bottom, 0) + 12
  const element = document.elementFromPoint(left + 20, below)?.closest('.l')
  return element ? Number(element.id.slice(1)) : null
}

const element = (name, text, className) =>
  Object.assign(document.createElement(name), { textContent: text, className })

const tellPath = () => {
  const line = topLine()
  if (line === null || entries.length === 0) return
  const open = entries.filter(({ first, last }) => first <= line && line <= last)
  const told = open.flatMap(({ kind, name }, n) => [
    ...(n > 0 ? [element('span', ' › ', 'muted')] : []),
    ...(name === kind ? [] : [element('span', `${kind} `, 'muted')]),
    element('b', name, ''),
  ])
  path.replaceChildren(...(told.length > 0 ? told : [element('span', `line ${line}`, 'muted')]))
  const innermost = open.at(-1)?.link
  for (const { link } of entries) {
    if (link === innermost) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
}

let waiting = false
const soon = () => {
  if (waiting) return
  waiting = true
  requestAnimationFrame(() => {
    waiting = false
    tellPath()
  })
}
if (path && outline) {
  addEventListener('scroll', soon, { passive: true })
  addEventListener('resize', soon)
  if (scrollY > 0 || location.hash) soon()
}

const filter = document.querySelector('#outline-filter')
const matches = (item, wanted) => item.textContent.toLowerCase().includes(wanted)
filter?.addEventListener('input', () => {
  const wanted = filter.value.trim().toLowerCase()
  for (const item of outline.querySelectorAll('li')) {
    const own = item.closest('li li') ? item.parentElement.closest('li') : null
    const isWithin = own !== null && ownName(own).includes(wanted)
    item.hidden = wanted !== '' && !matches(item, wanted) && !isWithin
  }
  for (const group of outline.querySelectorAll('details')) {
    group.dataset.was ??= String(group.open)
    group.open = wanted === '' ? group.dataset.was === 'true' : matches(group, wanted)
  }
})
const ownName = (item) =>
  (item.querySelector(':scope > a, :scope > details > summary')?.textContent ?? '').toLowerCase()
