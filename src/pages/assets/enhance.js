// Makes the pages quicker to use. Each of them works without it.
const $ = (selector, within = document) => within.querySelector(selector)
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)]
const root = document.documentElement
root.classList.add('scripted')

const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`

// Ages: every minute, and as soon as the page is shown.
const ago = (time) => {
  const minutes = Math.floor((Date.now() - time) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ago`
  const days = Math.floor(minutes / 1440)
  if (days === 1) return 'yesterday'
  return days < 30 ? `${days} days ago` : null
}
const tellAges = () => {
  for (const time of $$('time[data-ago]')) {
    const words = ago(Date.parse(time.dateTime))
    if (words !== null && words !== time.textContent) time.textContent = words
  }
}
tellAges()
setInterval(tellAges, 60_000)

// History: which two are compared.
const picked = (side) => $(`input[name=${side}]:checked`)
const numberOf = (input) => Number(input?.value.slice(1))
const tellChosen = () => {
  const [a, b] = [numberOf(picked('a')), numberOf(picked('b'))]
  if (!$('#chosen') || !a || !b) return
  const [low, high] = a < b ? [a, b] : [b, a]
  const rows = $$('tr.revision').filter(({ dataset: { n } }) => n > low && n <= high)
  const people = new Set(rows.map((row) => row.dataset.who)).size
  $('#chosen').textContent = `r${a} → r${b}`
  $('#chosen-words').textContent =
    plural(high - low, 'revision', 'revisions') +
    (rows.length === high - low && people > 0 ? ` by ${plural(people, 'person', 'people')}` : '')
}
document.addEventListener('change', ({ target }) => {
  if (target.matches('.letter input')) tellChosen()
})

// History: moving through the rows.
const current = () => $('tr.revision[aria-current]')
const move = (step) => {
  const rows = $$('tr.revision')
  const row = rows[Math.max(0, Math.min(rows.length - 1, rows.indexOf(current()) + step))]
  if (!row) return
  current()?.removeAttribute('aria-current')
  row.setAttribute('aria-current', 'true')
  $('.number', row).focus({ preventScroll: true })
  row.scrollIntoView({ block: 'nearest' })
}
const mark = (side) => {
  const input = current() && $(`input[name=${side}]`, current())
  if (!input) return
  input.checked = true
  tellChosen()
}

// History: a revision that arrives while the page is open.
const follow = (live) => {
  let newest = live.dataset.newest
  const look = async () => {
    if (document.hidden) return
    const answer = await fetch(live.dataset.follow).catch(() => null)
    const [revision] = answer?.ok ? await answer.json() : []
    if (!revision || revision.commitSHA === newest) return
    newest = revision.commitSHA
    await refresh(revision.username)
  }
  const refresh = async (who) => {
    const answer = await fetch(location.href).catch(() => null)
    if (!answer?.ok) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const kept = ['a', 'b'].map((side) => picked(side)?.value)
    const row = current()?.id
    for (const part of ['#history tbody', '.page-head > div', '.bars']) {
      const fresh = $(part, page)
      if (fresh && $(part)) $(part).replaceWith(document.adoptNode(fresh))
    }
    for (const value of kept) {
      const input = value && $(`input[name=${kept[0] === value ? 'a' : 'b'}][value=${value}]`)
      if (input) input.checked = true
    }
    if (row) document.getElementById(row)?.setAttribute('aria-current', 'true')
    tellAges()
    tellChosen()
    live.textContent = `A new revision by ${who} has arrived.`
  }
  setInterval(() => void look(), Number(live.dataset.every) || 5_000)
}
if ($('#live')) follow($('#live'))

// Compare: from change to change.
let at = -1
const changes = () => $$('tr.first')
const tellStep = (total) => {
  const number = changes()[at]?.id.slice(1)
  if (number) $('#step').textContent = `Change ${number} of ${total}`
}
const step = (by) => {
  const rows = changes()
  if (rows.length === 0) return
  const total = $('#step').textContent.split(' of ')[1]
  const next = at + by
  if (next >= rows.length && $('.more-regions [rel=next]')) $('.more-regions [rel=next]').focus()
  at = Math.max(0, Math.min(rows.length - 1, next))
  $('tr.here')?.classList.remove('here')
  rows[at].classList.add('here')
  rows[at].scrollIntoView({ block: 'center' })
  tellStep(total)
}
document.addEventListener('click', (event) => {
  const button = event.target.closest('#step-up, #step-down')
  if (!button) return
  event.preventDefault()
  step(button.id === 'step-down' ? 1 : -1)
})

// Compare: collapsed parts, and patches for the clipboard.
const fold = (button) => {
  const table = document.getElementById(button.getAttribute('aria-controls'))
  table.hidden = !table.hidden
  button.setAttribute('aria-expanded', String(!table.hidden))
}
const copy = async (button) => {
  try {
    const answer = await fetch(button.dataset.copy)
    if (!answer.ok) throw new Error(answer.statusText)
    await navigator.clipboard.writeText(await answer.text())
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Could not copy'
  }
}
document.addEventListener('click', ({ target }) => {
  const button = target.closest('.fold, .copy')
  if (button?.matches('.fold')) fold(button)
  if (button?.matches('.copy')) void copy(button)
})

// Lines and ranges of lines: #R72 and #R72-R76. A range is made with Shift and a click.
const LINES = /^#([LR])(\d+)(?:-\1(\d+))?$/
const showRange = () => {
  $$('.chosen').forEach((row) => row.classList.remove('chosen'))
  const [, side, from, to = from] = LINES.exec(location.hash) ?? []
  if (!side) return
  const [low, high] = [Number(from), Number(to)].toSorted((one, other) => one - other)
  const last = Math.min(high, low + 5_000)
  for (let line = low; line <= last; line++) {
    document.getElementById(`${side}${line}`)?.closest('tr, .l').classList.add('chosen')
  }
  document.getElementById(`${side}${low}`)?.scrollIntoView({ block: 'center' })
}
addEventListener('hashchange', showRange)
showRange()
document.addEventListener('click', (event) => {
  const link = event.target.closest('.n a, a.n')
  const [, side, from] = LINES.exec(location.hash) ?? []
  if (!link || !event.shiftKey || link.hash[1] !== side) return
  event.preventDefault()
  location.hash = `#${side}${from}-${link.hash.slice(1)}`
})

// Keys.
const KEYS = {
  '/': () => ($('.bar-search input:not([hidden])') ?? $('.filter-text'))?.focus(),
  '?': () => {
    location.hash = 'keys'
    $('#keys').focus()
  },
  j: () => move(1),
  k: () => move(-1),
  a: () => mark('a'),
  b: () => mark('b'),
  c: () => $('#history')?.requestSubmit(),
  n: () => step(1),
  p: () => step(-1),
  Escape: () => {
    if (location.hash === '#keys') location.hash = 'content'
  },
}
document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if (ctrlKey || metaKey || altKey || target.closest('textarea, select, [contenteditable]')) return
  const types = target.closest('input')?.type
  if (types && !['radio', 'checkbox'].includes(types)) return
  if (key === 'Enter' && target.matches('.number') && current()) {
    event.preventDefault()
    $('.diff a', current())?.click()
    return
  }
  const action = Object.hasOwn(KEYS, key) && KEYS[key]
  if (!action) return
  if (key !== 'Escape') event.preventDefault()
  action()
})
