/** A day that only the calendar of a month can tell. */
export type SpecialDay =
  | { readonly type: 'last-day' }
  | { readonly type: 'last-weekday' }
  | { readonly type: 'nearest-weekday'; readonly day: number }
  | { readonly type: 'last-of-week'; readonly weekday: number }
  | { readonly type: 'nth-of-week'; readonly weekday: number; readonly nth: number }

export interface DayField {
  readonly values: ReadonlySet<number>
  readonly special: readonly SpecialDay[]
}

/** When a cron expression fires. Null for the day field that is `?`, and for every year. */
export interface CronFields {
  readonly seconds: ReadonlySet<number>
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly years: ReadonlySet<number>
  /** Numbers count from 1. */
  readonly daysOfMonth: DayField | null
  /** 1 is Sunday. */
  readonly daysOfWeek: DayField | null
}

interface Range {
  readonly min: number
  readonly max: number
}

/** The values of a field; the highest is its largest step, too. */
interface Field extends Range {
  readonly names?: readonly string[]
  /** Another item that can stand alone in a list. */
  readonly special?: RegExp
}

const SECONDS: Field = { min: 0, max: 59 }
const MINUTES = SECONDS
const HOURS: Field = { min: 0, max: 23 }
const DAYS_OF_MONTH: Field = {
  min: 1,
  max: 31,
  special: /^(?:L|LW|(?:[1-9]|[12]\d|3[01])W)$/,
}
const MONTHS: Field = {
  min: 1,
  max: 12,
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
}
const DAYS_OF_WEEK: Field = {
  min: 1,
  max: 7,
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  special: /^(?:L|(?:[1-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(?:L|#[1-5]))$/,
}
/** The years that Quartz knows. An expression may name any other. */
const YEARS: Field = { min: 1970, max: 2099 }
const FIELDS = [SECONDS, MINUTES, HOURS, DAYS_OF_MONTH, MONTHS, DAYS_OF_WEEK, YEARS]
const NAMES = new Map(
  FIELDS.flatMap(({ names = [] }) => names.map((name, n) => [name, n + 1] as const)),
)
const SATURDAY = 7
const ITEM = /^(?:(\*)|([A-Z]{3}|\d+)(?:-([A-Z]{3}|\d+))?)?(?:\/(\d+))?$/
const WEEKDAY = /^([A-Z]{3}|\d)(?:(L)|#(\d))$/

/**
 * Whether a text is a cron expression as Quartz 1.6 reads it: six fields or
 * seven with the year, and `?` in exactly one of day-of-month and day-of-week.
 */
export function isCron(text: string): boolean {
  const parts = partsOf(text)
  if (parts.length !== 6 && parts.length !== 7) return false
  const days = [FIELDS.indexOf(DAYS_OF_MONTH), FIELDS.indexOf(DAYS_OF_WEEK)]
  const unspecified = days.filter((day) => parts[day] === '?')
  if (unspecified.length !== 1) return false
  return parts.every((part, n) => unspecified.includes(n) || isFieldValid(part, FIELDS[n] ?? YEARS))
}

/** The fields of an expression that is one. */
export function parseCron(text: string): CronFields {
  const [seconds = '', minutes = '', hours = '', days = '', months = '', weekdays = '', years] =
    partsOf(text)
  return {
    seconds: valuesOf(seconds, SECONDS),
    minutes: valuesOf(minutes, MINUTES),
    hours: valuesOf(hours, HOURS),
    months: valuesOf(months, MONTHS),
    years: valuesOf(years ?? '*', YEARS),
    daysOfMonth: days === '?' ? null : daysOf(days, DAYS_OF_MONTH, specialDayOfMonth),
    daysOfWeek: weekdays === '?' ? null : daysOf(weekdays, DAYS_OF_WEEK, specialDayOfWeek),
  }
}

function partsOf(text: string): readonly string[] {
  return text
    .trim()
    .toUpperCase()
    .split(/[ \t\r\n]+/)
}

function isFieldValid(text: string, field: Field): boolean {
  const items = text.split(',')
  const mixesLast = items.length > 1 && items.some((item) => item === 'L' || item === 'LW')
  return !mixesLast && items.every((item) => isItemValid(item, field))
}

function isItemValid(item: string, field: Field): boolean {
  if (field.special?.test(item)) return true
  const [matched, all, from, to, step] = ITEM.exec(item) ?? []
  if (!matched) return false
  if (from === undefined)
    return (all ?? step) !== undefined && (field === YEARS || Number(step ?? 1) <= field.max)
  return [from, to].every((value) => value === undefined || isInRange(value, field))
}

function isInRange(value: string, field: Field): boolean {
  const { min, max, names } = field
  if (/^[A-Z]/.test(value)) return names?.includes(value) ?? false
  return field === YEARS || (Number(value) >= min && Number(value) <= max)
}

function daysOf(
  text: string,
  range: Range,
  specialOf: (item: string) => SpecialDay | null,
): DayField {
  const special: SpecialDay[] = []
  const plain: string[] = []
  for (const item of text.split(',')) {
    const day = specialOf(item)
    if (day) special.push(day)
    else plain.push(item)
  }
  return { values: valuesOf(plain.join(','), range), special }
}

function specialDayOfMonth(item: string): SpecialDay | null {
  if (item === 'L') return { type: 'last-day' }
  if (item === 'LW') return { type: 'last-weekday' }
  return item.endsWith('W') ? { type: 'nearest-weekday', day: Number.parseInt(item, 10) } : null
}

function specialDayOfWeek(item: string): SpecialDay | null {
  const [matched, name = '', last, nth] = WEEKDAY.exec(item) ?? []
  if (matched === undefined) return null
  const weekday = numberOf(name)
  if (last !== undefined) return { type: 'last-of-week', weekday }
  return { type: 'nth-of-week', weekday, nth: Number(nth) }
}

function valuesOf(text: string, range: Range): Set<number> {
  return new Set(text === '' ? [] : text.split(',').flatMap((item) => valuesOfItem(item, range)))
}

function valuesOfItem(item: string, range: Range): number[] {
  if (item === 'L') return [SATURDAY]
  const [, , from, to, step] = ITEM.exec(item) ?? []
  if (from === undefined) return stepped(range, Number(step ?? 1) || 1)
  const min = numberOf(from)
  if (to !== undefined) return wrapped({ min, max: numberOf(to) }, range, Number(step ?? 1))
  return step === undefined ? [min] : stepped({ min, max: range.max }, Number(step))
}

/** A range whose end is before its beginning goes on at the lowest value. Years do not begin again. */
function wrapped({ min, max }: Range, range: Range, step: number): number[] {
  if (min <= max) return stepped({ min, max: Math.min(max, range.max) }, step)
  if (range === YEARS) return []
  const size = range.max - range.min + 1
  return stepped({ min, max: max + size }, step).map((value) =>
    value > range.max ? value - size : value,
  )
}

/** A step of nothing stays where it begins. */
function stepped({ min, max }: Range, step: number): number[] {
  if (step === 0) return [min]
  const count = Math.max(0, Math.floor((max - min) / step) + 1)
  return Array.from({ length: count }, (_, n) => min + n * step)
}

function numberOf(value: string): number {
  return NAMES.get(value) ?? Number(value)
}
