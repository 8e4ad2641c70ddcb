import { type CronFields, type DayField, type SpecialDay, parseCron } from './cron-fields.ts'

const SECOND_MS = 1_000
const LAST_YEAR = 2099
const SUNDAY = 1
const SATURDAY = 7

/**
 * The first moment after another at which a cron expression fires, by the clock of the machine:
 * milliseconds since the UNIX epoch. Null when it never fires again. An hour that summer time
 * leaves out does not fire, one that it repeats fires twice.
 */
export function nextFire(cron: string, after: number): number | null {
  const fields = parseCron(cron)
  let at = new Date((Math.floor(after / SECOND_MS) + 1) * SECOND_MS)
  while (at.getFullYear() <= LAST_YEAR) {
    const later = laterThan(at, fields)
    if (later === null) return at.getTime()
    at = later
  }
  return null
}

/** Null when it fires at this second, otherwise the next one worth a look. */
function laterThan(at: Date, fields: CronFields): Date | null {
  const [year, month] = [at.getFullYear(), at.getMonth()]
  if (!fields.years.has(year)) return new Date(year + 1, 0)
  if (!fields.months.has(month + 1)) return new Date(year, month + 1)
  if (!isDay(at, fields)) return new Date(year, month, at.getDate() + 1)
  return laterOnTheDay(at, fields)
}

/** Counted in time passed, so that no hour is lost where the clock is put back. */
function laterOnTheDay(at: Date, { hours, minutes, seconds }: CronFields): Date | null {
  const [minute, second] = [at.getMinutes(), at.getSeconds()]
  if (!hours.has(at.getHours())) return secondsLater(at, 3_600 - minute * 60 - second)
  if (!minutes.has(minute)) return secondsLater(at, 60 - second)
  return seconds.has(second) ? null : secondsLater(at, 1)
}

function secondsLater(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * SECOND_MS)
}

function isDay(at: Date, { daysOfMonth, daysOfWeek }: CronFields): boolean {
  return isIn(daysOfMonth, at.getDate(), at) && isIn(daysOfWeek, at.getDay() + SUNDAY, at)
}

function isIn(field: DayField | null, value: number, at: Date): boolean {
  if (field === null || field.values.has(value)) return true
  return field.special.some((special) => isSpecial(special, at))
}

function isSpecial(special: SpecialDay, at: Date): boolean {
  const day = at.getDate()
  const weekday = at.getDay() + SUNDAY
  const last = new Date(at.getFullYear(), at.getMonth() + 1, 0).getDate()
  switch (special.type) {
    case 'last-day':
      return day === last
    case 'last-weekday':
      return day === nearestWeekday(at, { day: last, last })
    case 'nearest-weekday':
      return special.day <= last && day === nearestWeekday(at, { day: special.day, last })
    case 'last-of-week':
      return weekday === special.weekday && day > last - 7
    case 'nth-of-week':
      return weekday === special.weekday && Math.ceil(day / 7) === special.nth
  }
}

/** The working day next to a day, in the same month. */
function nearestWeekday(at: Date, { day, last }: { day: number; last: number }): number {
  const weekday = new Date(at.getFullYear(), at.getMonth(), day).getDay() + SUNDAY
  if (weekday === SATURDAY) return day === 1 ? 3 : day - 1
  if (weekday === SUNDAY) return day === last ? day - 2 : day + 1
  return day
}
