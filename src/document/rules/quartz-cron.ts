const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

interface Field {
  readonly min: number
  readonly max: number
  /** The largest step after `*` or a leading slash. */
  readonly maxStep: number
  readonly names?: readonly string[]
  /** Another item that can stand alone in a list. */
  readonly special?: RegExp
}

const FIELDS: readonly Field[] = [
  { min: 0, max: 59, maxStep: 59 },
  { min: 0, max: 59, maxStep: 59 },
  { min: 0, max: 23, maxStep: 23 },
  { min: 1, max: 31, maxStep: 31, special: /^(?:L|LW|(?:[1-9]|[12]\d|3[01])W)$/ },
  { min: 1, max: 12, maxStep: 12, names: MONTHS },
  {
    min: 1,
    max: 7,
    maxStep: 7,
    names: DAYS,
    special: /^(?:L|(?:[1-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(?:L|#[1-5]))$/,
  },
  { min: 0, max: Infinity, maxStep: Infinity },
]
const DAY_OF_MONTH = 3
const DAY_OF_WEEK = 5
const ITEM = /^(?:(\*)|([A-Z]{3}|\d+)(?:-([A-Z]{3}|\d+))?)?(?:\/(\d+))?$/

/**
 * Whether a text is a cron expression as Quartz 1.6 reads it: six fields or
 * seven with the year, and `?` in exactly one of day-of-month and day-of-week.
 */
export function isQuartzCron(text: string): boolean {
  const parts = text
    .trim()
    .toUpperCase()
    .split(/[ \t\r\n]+/)
  if (parts.length !== 6 && parts.length !== 7) return false
  const unspecified = [DAY_OF_MONTH, DAY_OF_WEEK].filter((day) => parts[day] === '?')
  if (unspecified.length !== 1) return false
  return parts.every((part, n) => unspecified.includes(n) || isFieldValid(part, FIELDS[n]))
}

function isFieldValid(text: string, field: Field | undefined): boolean {
  if (!field) return false
  const items = text.split(',')
  const mixesLast = items.length > 1 && items.some((item) => item === 'L' || item === 'LW')
  return !mixesLast && items.every((item) => isItemValid(item, field))
}

function isItemValid(item: string, field: Field): boolean {
  if (field.special?.test(item)) return true
  const [matched, all, from, to, step] = ITEM.exec(item) ?? []
  if (!matched) return false
  if (from === undefined) {
    return all !== undefined || step !== undefined ? Number(step ?? 1) <= field.maxStep : false
  }
  return [from, to].every((value) => value === undefined || isInRange(value, field))
}

function isInRange(value: string, { min, max, names }: Field): boolean {
  if (/^[A-Z]/.test(value)) return names?.includes(value) ?? false
  return Number(value) >= min && Number(value) <= max
}
