// Keeps a page up to date that shows what changes by itself. Each of them works without it.
const $ = (selector, within = document) => within.querySelector(selector)
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)]
const live = $('[data-live]')
const skew = Number(live?.dataset.now) - Date.now()
const now = () => Date.now() + skew

// Parts of the page are replaced when the server has other ones. What was typed, chosen and opened stays.
const parts = (page) => new Map($$('[data-part]', page).map((part) => [part.dataset.part, part]))
// Times run by themselves, and are no reason to replace what they stand in.
const factsOf = (part) => {
  const copy = part.cloneNode(true)
  for (const time of $$('time, [data-since], [data-until]', copy)) time.textContent = ''
  return copy.outerHTML
}
const shown = new Map([...parts(document)].map(([name, part]) => [name, factsOf(part)]))
const keyOf = (element) =>
  element.id || element.getAttribute('href') || `${element.name} ${element.value}`
const replace = (old, fresh) => {
  const checked = new Set($$('input:checked', old).map(keyOf))
  const open = new Map($$('details', old).map((details) => [details.id, details.open]))
  const typed = new Map($$('input[type=text]', old).map(({ id, value }) => [id, value]))
  const focused = old.contains(document.activeElement) && keyOf(document.activeElement)
  old.replaceWith(document.adoptNode(fresh))
  for (const input of $$('input', fresh)) if (checked.has(keyOf(input))) input.checked = true
  for (const input of $$('input[type=text]', fresh))
    input.value = typed.get(input.id) ?? input.value
  for (const details of $$('details', fresh)) details.open = open.get(details.id) ?? details.open
  if (focused)
    $$('a, button, input', fresh)
      .find((each) => keyOf(each) === focused)
      ?.focus()
}
// What the pointer is pressed on is not taken away from under it.
let pressed = null
document.addEventListener('pointerdown', ({ target }) => (pressed = target))
for (const end of ['pointerup', 'pointercancel']) {
  document.addEventListener(end, () => setTimeout(() => (pressed = null)))
}
const take = (page) => {
  const current = parts(document)
  const fresh = parts(page)
  const isOther =
    current.size !== fresh.size || [...fresh.keys()].some((name) => !current.has(name))
  if (isOther) return location.replace(live.dataset.at ?? location.pathname + location.search)
  for (const [name, part] of fresh) {
    const facts = factsOf(part)
    if (shown.get(name) === facts || current.get(name).contains(pressed)) continue
    shown.set(name, facts)
    replace(current.get(name), part)
  }
  live.dataset.live = $('[data-live]', page)?.dataset.live ?? '0'
  tell()
  tellChosen()
}
const stale = (words) => {
  for (const place of $$('.stale-words')) if (place.textContent !== words) place.textContent = words
}
const look = async () => {
  if (document.hidden || Number(live.dataset.live) === 0) return
  const answer = await fetch(live.dataset.at ?? location.href).catch(() => null)
  if (answer === null) return stale('The server does not answer; what is shown may be old.')
  if (!answer.ok) return stale('This is not there any more; what is shown is old.')
  stale('')
  take(new DOMParser().parseFromString(await answer.text(), 'text/html'))
}
const keepLooking = async () => {
  while (Number(live.dataset.live) > 0) {
    await new Promise((done) => setTimeout(done, Number(live.dataset.live)))
    await look()
  }
}
document.addEventListener('visibilitychange', () => void look())

// Times that run.
const duration = (time) => {
  const seconds = Math.floor(Math.max(0, time) / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes === 0) return `${seconds} s`
  if (minutes < 10) return `${minutes} min ${seconds % 60} s`
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
const tell = () => {
  for (const place of $$('[data-since]')) {
    place.textContent = duration(now() - Number(place.dataset.since))
  }
  for (const place of $$('[data-until]')) {
    const left = Math.ceil((Number(place.dataset.until) - now()) / 1000)
    place.textContent = left > 0 ? `: ${left} s left` : ''
  }
}
setInterval(tell, 500)

// Choosing rows.
const boxes = () => $$('input[name=agent]')
const tellChosen = () => {
  const count = $('.chosen-count')
  if (!count) return
  const chosen = boxes().filter(({ checked }) => checked)
  count.textContent = chosen.length === 0 ? 'None chosen' : `${chosen.length} chosen`
  const kept = chosen.map((box) => box.closest('tr')).filter(({ dataset }) => dataset.obstacle)
  const [first] = kept
  const others = kept.length > 1 ? ` and ${kept.length - 1} more` : ''
  $('.obstacles').textContent = first
    ? `${first.dataset.name}${others} cannot be deleted: it ${first.dataset.obstacle}.`
    : 'Only an agent that is Disabled and builds nothing can be deleted.'
}
document.addEventListener('change', ({ target }) => {
  if (target.matches('.all')) for (const box of boxes()) box.checked = target.checked
  tellChosen()
})
tellChosen()

// A console that grows: whole lines from where the last ones ended.
const LINES = 3_000
const appendLines = async (lines) => {
  const from = Number(lines.dataset.next)
  const answer = await fetch(`${lines.dataset.console}?startLineNumber=${from}`).catch(() => null)
  const next = answer?.ok ? Number(answer.headers.get('x-next-line')) : from
  if (next === from) return answer?.headers.get('x-ended') === 'true'
  const isAtEnd = innerHeight + scrollY >= document.body.scrollHeight - 120
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  lines.append(...$$('li', page).map((line) => document.adoptNode(line)))
  while (lines.children.length > LINES) lines.firstElementChild.remove()
  lines.dataset.next = next
  if (isAtEnd && $('.follow')?.checked) scrollTo({ top: document.body.scrollHeight })
  return false
}
const followConsole = async (lines) => {
  let ended = false
  while (!ended) {
    ended = await appendLines(lines)
    await new Promise((done) => setTimeout(done, 1_000))
  }
}
const lines = $('[data-console]')
if (lines) void followConsole(lines)

if (live) {
  tell()
  void keepLooking()
}
