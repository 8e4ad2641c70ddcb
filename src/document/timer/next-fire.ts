import { type CronFields, type DayField, type SpecialDay, parseCron } from './cron-fields.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOURS_OF_A_DAY = 24
const LAST_YEAR = 2099
const SUNDAY = 1
const SATURDAY = 7

/**
 * The first moment after another at which a cron expression fires, by the clock of the machine:
 * milliseconds since the UNIX epoch. Null when it never fires again.
 *
 * A time within an hour that summer time leaves out fires as soon as the clock goes on, and one within an
 * hour that comes twice fires the first time. An expression that fires in every hour goes by the time that passes.
 */
export function nextFire(cron: string, after: number): number | null {
  const fields = parseCron(cron)
  return fields.hours.size === HOURS_OF_A_DAY
    ? nextByTimePassed(fields, after)
    : nextByTimeShown(fields, after)
}

function nextByTimeShown(fields: CronFields, after: number): number | null {
  let shown = secondsLater(shownAt(wholeSecond(after)), 1)
  while (shown.getUTCFullYear() <= LAST_YEAR) {
    const later = laterThan(shown, fields)
    const at = later === null ? momentOf(shown) : null
    if (at !== null && at > after) return at
    shown = later ?? secondsLater(shown, 1)
  }
  return null
}

function nextByTimePassed(fields: CronFields, after: number): number | null {
  let at = wholeSecond(after) + SECOND_MS
  for (;;) {
    const shown = shownAt(at)
    if (shown.getUTCFullYear() > LAST_YEAR) return null
    const later = laterThan(shown, fields)
    if (later === null) return at
    const passed = later.getTime() - shown.getTime()
    // To another day: the way there may be an hour longer or shorter than the clock shows.
    at = Math.max(passed > MINUTE_MS ? momentOf(later) : at + passed, at + SECOND_MS)
  }
}

function wholeSecond(time: number): number {
  return Math.floor(time / SECOND_MS) * SECOND_MS
}

/** The date whose fields in UTC are what the clock of the machine shows at a moment. */
function shownAt(at: number): Date {
  const local = new Date(at)
  const [year, month, day] = [local.getFullYear(), local.getMonth(), local.getDate()]
  return new Date(
    Date.UTC(year, month, day, local.getHours(), local.getMinutes(), local.getSeconds()),
  )
}

/** The first moment at which the clock shows a time, or the next minute that it shows. */
function momentOf(shown: Date): number {
  const [year, month, day] = [shown.getUTCFullYear(), shown.getUTCMonth(), shown.getUTCDate()]
  const [hour, minute, second] = [shown.getUTCHours(), shown.getUTCMinutes(), shown.getUTCSeconds()]
  const at = new Date(year, month, day, hour, minute, second).getTime()
  if (shownAt(at).getTime() === shown.getTime()) return at
  return momentOf(secondsLater(shown, 60 - second))
}

/** Null when it fires at this second, otherwise the next one worth a look. */
function laterThan(shown: Date, fields: CronFields): Date | null {
  const [year, month] = [shown.getUTCFullYear(), shown.getUTCMonth()]
  if (!fields.years.has(year)) return new Date(Date.UTC(year + 1, 0))
  if (!fields.months.has(month + 1)) return new Date(Date.UTC(year, month + 1))
  if (!isDay(shown, fields)) return new Date(Date.UTC(year, month, shown.getUTCDate() + 1))
  return laterOnTheDay(shown, fields)
}

function laterOnTheDay(shown: Date, { hours, minutes, seconds }: CronFields): Date | null {
  const [minute, second] = [shown.getUTCMinutes(), shown.getUTCSeconds()]
  if (!hours.has(shown.getUTCHours())) return secondsLater(shown, 3_600 - minute * 60 - second)
  if (!minutes.has(minute)) return secondsLater(shown, 60 - second)
  return seconds.has(second) ? null : secondsLater(shown, 1)
}

function secondsLater(shown: Date, seconds: number): Date {
  return new Date(shown.getTime() + seconds * SECOND_MS)
}

function isDay(shown: Date, { daysOfMonth, daysOfWeek }: CronFields): boolean {
  return (
    isIn(daysOfMonth, shown.getUTCDate(), shown) &&
    isIn(daysOfWeek, shown.getUTCDay() + SUNDAY, shown)
  )
}

function isIn(field: DayField | null, value: number, shown: Date): boolean {
  if (field === null || field.values.has(value)) return true
  return field.special.some((special) => isSpecial(special, shown))
}

function isSpecial(special: SpecialDay, shown: Date): boolean {
  const day = shown.getUTCDate()
  const weekday = shown.getUTCDay() + SUNDAY
  const last = new Date(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth() + 1, 0)).getUTCDate()
  switch (special.type) {
    case 'last-day':
      return day === last
    case 'last-weekday':
      return day === nearestWeekday(shown, { day: last, last })
    case 'nearest-weekday':
      return special.day <= last && day === nearestWeekday(shown, { day: special.day, last })
    case 'last-of-week':
      return weekday === special.weekday && day > last - 7
    case 'nth-of-week':
      return weekday === special.weekday && Math.ceil(day / 7) === special.nth
  }
}

/** The working day next to a day, in the same month. */
function nearestWeekday(shown: Date, { day, last }: { day: number; last: number }): number {
  const weekday =
    new Date(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth(), day)).getUTCDay() + SUNDAY
  if (weekday === SATURDAY) return day === 1 ? 3 : day - 1
  if (weekday === SUNDAY) return day === last ? day - 2 : day + 1
  return day
}
