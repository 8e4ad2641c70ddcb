import { countOf } from './words/count.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const WEEKDAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ')
/** From this age on, in days, the day says more. */
const DAYS_OF_AGE = 31

/** The days between the UNIX epoch and a time, in UTC. */
export function dayNumber(time: number): number {
  return Math.floor(time / DAY_MS)
}

/** The name of a day with such a number, as `2015-06-05`. */
export function nameOfDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** The day of a time, as `2015-06-05`, in UTC. */
export function dayName(time: number): string {
  return nameOfDay(dayNumber(time))
}

/** How a time is shown: `enhance.js` keeps ages up to date, and shows all on the clock of the reader. */
type TimeForm = 'age' | 'ago' | 'moment' | 'exact' | 'day' | 'hour'

/** A time in UTC, which says so or has it as its title. */
function timeAs(form: TimeForm, time: number, text: string) {
  return (
    <time datetime={isoTime(time)} title={exactTime(time)} data-when={form}>
      {text}
    </time>
  )
}

/** A time: its age within a day, else date and hour. */
export function When({ time, now }: { time: number; now: number }) {
  return timeAs('age', time, relativeTime(time, now))
}

/** The age of a time in its largest unit, and the day after a month: `3 days ago`, `5 Jun 2015`. */
export function Ago({ time, now }: { time: number; now: number }) {
  return timeAs('ago', time, agoOf(time, now))
}

/** As `Ago`, in the words of a string builder, whose surroundings have the exact time. */
export function agoHtml(time: number, now: number): string {
  return `<time datetime="${isoTime(time)}" data-when="ago">${agoOf(time, now)}</time>`
}

function agoOf(time: number, now: number): string {
  const days = Math.floor((now - time) / DAY_MS)
  if (days < 1) return relativeTime(time, now)
  return days < DAYS_OF_AGE ? `${countOf(days, 'day')} ago` : dateOf(time)
}

/** Date and hour, whatever the age: `5 Jun 2015, 14:03 UTC`. */
export function Moment({ time }: { time: number }) {
  return timeAs('moment', time, momentOf(time))
}

/** Date, hour and second: `5 Jun 2015, 14:03:22 UTC`. */
export function Exact({ time }: { time: number }) {
  return timeAs('exact', time, exactTime(time))
}

/** The day alone: `5 Jun 2015`. */
export function Day({ time }: { time: number }) {
  return timeAs('day', time, dateOf(time))
}

/** The hour alone, below a heading that has the day and says that it is in UTC: `14:03`. */
export function Hour({ time }: { time: number }) {
  return timeAs('hour', time, hourOf(time))
}

function relativeTime(time: number, now: number): string {
  const age = now - time
  if (age < MINUTE_MS) return age > -MINUTE_MS ? 'just now' : momentOf(time)
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`
  return age < DAY_MS ? `${Math.floor(age / HOUR_MS)} h ago` : momentOf(time)
}

/** `5 Jun 2015, 14:03:22 UTC` */
export function exactTime(time: number): string {
  return `${dateOf(time)}, ${isoTime(time).slice(11, 19)} UTC`
}

/** `5 Jun 2015, 14:03 UTC` */
function momentOf(time: number): string {
  return `${dateOf(time)}, ${hourOf(time)} UTC`
}

/** `5 Jun 2015` */
export function dateOf(time: number): string {
  const date = new Date(time)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** `05 Jun`, of a day such as `2015-06-05`. */
export function shortDay(day: string): string {
  return `${day.slice(8)} ${MONTHS[Number(day.slice(5, 7)) - 1]}`
}

/** `Fri, 5 Jun 2015`, of a day such as `2015-06-05`. */
export function longDay(day: string): string {
  const time = Date.parse(`${day}T00:00:00Z`)
  return `${WEEKDAYS[new Date(time).getUTCDay()]}, ${dateOf(time)}`
}

function isoTime(time: number): string {
  return new Date(time).toISOString()
}

/** `14:03` */
function hourOf(time: number): string {
  return isoTime(time).slice(11, 16)
}
