import { countOf } from '../words/count.ts'
import { findAll } from './dom.ts'

const MINUTE_MS = 60_000
/** From this age on, in days, the day says more. */
const DAYS_OF_AGE = 31
const DAY_MS = 24 * 60 * MINUTE_MS
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const WEEKDAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ')

/** The day of a time on the reader's calendar: `5 Jun 2015`. */
function dateOf(at: Date): string {
  return `${at.getDate()} ${MONTHS[at.getMonth()]} ${at.getFullYear()}`
}

/** The hour of a time on the reader's clock: `14:03`. */
function hourOf(at: Date): string {
  return [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}

/** `5 Jun 2015, 14:03` */
function momentOf(at: Date): string {
  return `${dateOf(at)}, ${hourOf(at)}`
}

/** `5 Jun 2015, 14:03:22 UTC` */
function utcText(at: Date): string {
  const [day, month, year, clock] = at
    .toUTCString()
    .replace(/^\w+, 0?/, '')
    .split(' ')
  return `${day} ${month} ${year}, ${clock} UTC`
}

/** The forms without an age. */
const FORMS: ReadonlyMap<string | undefined, (at: Date) => string> = new Map([
  ['day', dateOf],
  ['hour', hourOf],
  ['moment', momentOf],
  ['exact', (at) => `${momentOf(at)}:${at.toISOString().slice(17, 19)}`],
  ['clock', (at) => `${hourOf(at)}:${at.toISOString().slice(17, 23)}`],
])

/** As the server writes it, but for the clock. */
function textOf(at: Date, when: string | undefined): string {
  const form = FORMS.get(when)
  if (form) return form(at)
  const age = Date.now() - at.getTime()
  if (when === 'ago' && age >= DAY_MS) {
    const days = Math.floor(age / DAY_MS)
    return days < DAYS_OF_AGE ? `${countOf(days, 'day')} ago` : dateOf(at)
  }
  if (age >= DAY_MS || age <= -MINUTE_MS) return momentOf(at)
  const minutes = Math.floor(age / MINUTE_MS)
  if (minutes < 1) return 'just now'
  return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`
}

/** Shows times as the reader's clock does, and ages as they are now. */
function showClockTimes(): void {
  for (const time of findAll<HTMLTimeElement>('time[data-when]')) {
    const at = new Date(time.dateTime)
    const text = textOf(at, time.dataset['when'])
    if (text !== time.textContent) time.textContent = text
    if (time.title === '') time.title = utcText(at)
  }
  groupByDay()
}

/** Says once, at the foot, in which zone the times are. */
function nameZone(): void {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  for (const place of findAll('[data-zone]')) place.textContent = timeZone
}

/** Has fields for a day be one of the reader's calendar; they send the moment at which it starts or ends. */
function askLocalDays(): void {
  for (const field of findAll<HTMLInputElement>('input[data-day]')) {
    const { day, at } = field.dataset
    if (at !== undefined) field.value = dayText(new Date(at))
    field.form?.addEventListener('formdata', ({ formData }) => {
      if (field.value === '' || !formData.has(field.name)) return
      const clock = day === 'end' ? '23:59:59.999' : '00:00:00.000'
      formData.set(field.name, new Date(`${field.value}T${clock}`).toISOString())
    })
  }
}

/** Puts the headings of days in lists between the days of the reader's calendar. */
function groupByDay(): void {
  for (const list of findAll('[data-days]')) {
    const [pattern, ...others] = findAll('.day', list)
    if (!pattern) continue
    for (const heading of others) heading.remove()
    pattern.remove()
    let last = ''
    for (const row of findAll('tr', list)) {
      const time = row.querySelector('time')
      if (!time) continue
      const at = new Date(time.dateTime)
      const day = `${WEEKDAYS[at.getDay()]}, ${dateOf(at)}`
      if (day === last) continue
      last = day
      const heading = document.importNode(pattern, true)
      heading.querySelector('th')?.replaceChildren(day)
      row.before(heading)
    }
  }
}

/** `2015-06-05`, on the reader's calendar. */
function dayText(at: Date): string {
  const parts = [at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0'))
  return [at.getFullYear(), ...parts].join('-')
}

/**
 * Has fields for a time be on the reader's clock, with UTC as their title; UTC is what they send.
 */
function askClockTimes(): void {
  for (const field of findAll<HTMLInputElement>('input[data-utc]')) {
    const local = new Date(`${field.value}Z`)
    local.setMinutes(local.getMinutes() - local.getTimezoneOffset())
    field.value = local.toISOString().slice(0, 16)
    const utcOf = () => (field.value === '' ? '' : new Date(field.value).toISOString().slice(0, 16))
    const say = () => (field.title = `${utcOf().replace('T', ' ')} UTC`)
    field.addEventListener('input', say)
    say()
    field.form?.addEventListener('formdata', ({ formData }) => formData.set(field.name, utcOf()))
  }
}

/** Updates times now, every minute, and with whatever the page gets. */
export function keepClockTimes(): void {
  nameZone()
  askClockTimes()
  askLocalDays()
  const arrivals = new MutationObserver(show)
  function show(): void {
    showClockTimes()
    arrivals.takeRecords()
  }
  arrivals.observe(document.body, { childList: true, subtree: true })
  show()
  setInterval(show, MINUTE_MS)
}
