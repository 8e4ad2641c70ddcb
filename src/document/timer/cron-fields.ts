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

/** The years that Quartz knows. */
const YEARS: Range = { min: 1970, max: 2099 }
const NAMES = new Map(
  [
    ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
    ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  ].flatMap((names) => names.map((name, n) => [name, n + 1] as const)),
)
const SATURDAY = 7
const ITEM = /^(?:\*|([A-Z]{3}|\d+)(?:-([A-Z]{3}|\d+))?)?(?:\/(\d+))?$/
const WEEKDAY = /^([A-Z]{3}|\d)(?:(L)|#(\d))$/

/** The fields of an expression that the rules found to be one. */
export function parseCron(text: string): CronFields {
  const fields = text.trim().toUpperCase().split(/\s+/)
  const [seconds = '', minutes = '', hours = '', days = '', months = '', weekdays = ''] = fields
  return {
    seconds: valuesOf(seconds, { min: 0, max: 59 }),
    minutes: valuesOf(minutes, { min: 0, max: 59 }),
    hours: valuesOf(hours, { min: 0, max: 23 }),
    months: valuesOf(months, { min: 1, max: 12 }),
    years: valuesOf(fields[6] ?? '*', YEARS),
    daysOfMonth: days === '?' ? null : daysOf(days, { min: 1, max: 31 }, specialDayOfMonth),
    daysOfWeek: weekdays === '?' ? null : daysOf(weekdays, { min: 1, max: 7 }, specialDayOfWeek),
  }
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
  const [, from, to, step] = ITEM.exec(item) ?? []
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
