import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isCron } from '../../../src/document/timer/cron-fields.ts'
import { nextFire } from '../../../src/document/timer/next-fire.ts'

const HOUR_MS = 3_600_000
const ZONE = process.env['TZ']

beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin'
})
afterAll(() => {
  if (ZONE === undefined) delete process.env['TZ']
  else process.env['TZ'] = ZONE
})

interface Bounds {
  readonly min: number
  readonly max: number
}

function item({ min, max }: Bounds): fc.Arbitrary<string> {
  const value = fc.integer({ min, max })
  const step = fc.integer({ min: 1, max: Math.min(max, 31) })
  return fc.oneof(
    fc.constant('*'),
    value.map(String),
    step.map((n) => `*/${n}`),
    fc.tuple(value, step).map(([from, n]) => `${from}/${n}`),
    fc.tuple(value, value).map(([from, to]) => `${from}-${to}`),
    fc.tuple(value, value, step).map(([from, to, n]) => `${from}-${to}/${n}`),
  )
}

function list(bounds: Bounds): fc.Arbitrary<string> {
  return fc.array(item(bounds), { minLength: 1, maxLength: 3 }).map((items) => items.join(','))
}

const DAYS = { min: 1, max: 31 }
const WEEKDAYS = { min: 1, max: 7 }
const specialDay = fc.constantFrom('L', 'LW', '1W', '15W', '29W', '31W')
const specialWeekday = fc.constantFrom('L', '6L', '1L', '2#1', '6#3', '4#5')
const dayFields = fc.oneof(
  fc.oneof(list(DAYS), specialDay).map((days) => [days, '?'] as const),
  fc.oneof(list(WEEKDAYS), specialWeekday).map((days) => ['?', days] as const),
)

/** The same rules read once more, straight from the text. */
function isIn(field: string, value: number, { min, max }: Bounds): boolean {
  const size = max - min + 1
  return field.split(',').some((each) => {
    const [range = '', stepText] = each.split('/')
    const step = Number(stepText ?? 1)
    if (range === '*') return (value - min) % step === 0
    const [from = 0, to] = range.split('-').map(Number)
    if (to !== undefined) {
      const offset = (value - from + size) % size
      return offset <= (to - from + size) % size && offset % step === 0
    }
    return stepText === undefined ? value === from : value >= from && (value - from) % step === 0
  })
}

function dayAfter(shown: Date, days: number): Date {
  return new Date(
    Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth(), shown.getUTCDate() + days, 12),
  )
}

function isWorkingDay(shown: Date): boolean {
  return shown.getUTCDay() !== 0 && shown.getUTCDay() !== 6
}

function isDayOfMonth(field: string, shown: Date): boolean {
  const lastDay = new Date(
    Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth() + 1, 0),
  ).getUTCDate()
  if (field === 'L') return shown.getUTCDate() === lastDay
  if (!field.endsWith('W')) return isIn(field, shown.getUTCDate(), DAYS)
  const wanted = field === 'LW' ? lastDay : Number.parseInt(field, 10)
  if (wanted > lastDay || !isWorkingDay(shown)) return false
  const distance = Math.abs(shown.getUTCDate() - wanted)
  const nearer = [-2, -1, 0, 1, 2].filter((days) => {
    const day = new Date(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth(), wanted + days, 12))
    return (
      day.getUTCMonth() === shown.getUTCMonth() && isWorkingDay(day) && Math.abs(days) < distance
    )
  })
  return distance <= 2 && nearer.length === 0
}

function isDayOfWeek(field: string, shown: Date): boolean {
  if (field === 'L') return shown.getUTCDay() === 6
  const [, weekday, kind, nth] = /^(\d)(L|#)(\d?)$/.exec(field) ?? []
  if (weekday === undefined) return isIn(field, shown.getUTCDay() + 1, WEEKDAYS)
  if (shown.getUTCDay() + 1 !== Number(weekday)) return false
  if (kind === 'L') return dayAfter(shown, 7).getUTCMonth() !== shown.getUTCMonth()
  const before = dayAfter(shown, -7 * Number(nth))
  const first = dayAfter(shown, -7 * (Number(nth) - 1))
  return first.getUTCMonth() === shown.getUTCMonth() && before.getUTCMonth() !== shown.getUTCMonth()
}

function isMeant(cron: string, shown: Date): boolean {
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ')
  return (
    isIn(second, shown.getUTCSeconds(), { min: 0, max: 59 }) &&
    isIn(minute, shown.getUTCMinutes(), { min: 0, max: 59 }) &&
    isIn(hour, shown.getUTCHours(), { min: 0, max: 23 }) &&
    isIn(month, shown.getUTCMonth() + 1, { min: 1, max: 12 }) &&
    (day === '?' || isDayOfMonth(day, shown)) &&
    (weekday === '?' || isDayOfWeek(weekday, shown))
  )
}

/**
 * In Berlin, where the clock shows no time from 02:00 to 03:00 in one night, and those times twice in another. A
 * time that is left out is made up for when the clock goes on, one that comes twice is meant the first time.
 */
function fires(cron: string, at: number): boolean {
  const shown = shownAt(at)
  const isSecond = shownAt(at - HOUR_MS).getTime() === shown.getTime()
  if (isMeant(cron, shown) && (!isSecond || isInEveryHour(cron))) return true
  const isAfterGap = shown.getTime() - shownAt(at - 1).getTime() >= HOUR_MS
  if (!isAfterGap || isInEveryHour(cron)) return false
  const leftOut = Array.from(
    { length: 3_600 },
    (_, n) => new Date(shown.getTime() - 1_000 * (n + 1)),
  )
  return leftOut.some((each) => isMeant(cron, each))
}

function isInEveryHour(cron: string): boolean {
  const [, , hour = ''] = cron.split(' ')
  return Array.from({ length: 24 }, (_, n) => n).every((n) => isIn(hour, n, { min: 0, max: 23 }))
}

/** In UTC, what the clock of the machine shows. */
function shownAt(at: number): Date {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000)
}

/** Looks at every moment of a span, one after the other. */
function search(cron: string, after: number, span: { step: number; count: number }): number | null {
  const first = Math.floor(after / span.step) * span.step
  for (let n = 1; n <= span.count; n += 1) {
    const at = first + n * span.step
    if (fires(cron, at)) return at
  }
  return null
}

/** The answer, with one beyond the span taken for none. */
function nextWithin(cron: string, after: number, span: { step: number; count: number }) {
  const end = Math.floor(after / span.step) * span.step + span.count * span.step
  const next = nextFire(cron, after)
  return next === null || next > end ? null : next
}

const moment = fc.oneof(
  fc.date({ min: new Date('2001-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
  // The nights in which the clock is put forward and back.
  fc
    .integer({ min: -6 * HOUR_MS, max: 6 * HOUR_MS })
    .map((off) => new Date(Date.UTC(2025, 2, 30, 1) + off)),
  fc
    .integer({ min: -6 * HOUR_MS, max: 6 * HOUR_MS })
    .map((off) => new Date(Date.UTC(2025, 9, 26, 1) + off)),
)

describe('the next time a cron expression fires', () => {
  it('is the first second that it fires at', () => {
    const times = fc.tuple(
      list({ min: 0, max: 59 }),
      list({ min: 0, max: 59 }),
      list({ min: 0, max: 23 }),
    )
    fc.assert(
      fc.property(times, moment, (fields, at) => {
        const cron = `${fields.join(' ')} * * ?`
        const span = { step: 1_000, count: 9_000 }
        const after = at.getTime()

        expect(isCron(cron)).toBe(true)
        expect(nextWithin(cron, after, span)).toBe(search(cron, after, span))
      }),
      { numRuns: 40 },
    )
  })

  it('is on the first day that it fires on', { tags: ['long'] }, () => {
    const hour = fc.integer({ min: 0, max: 23 })
    fc.assert(
      fc.property(hour, dayFields, list({ min: 1, max: 12 }), moment, (h, days, months, at) => {
        const cron = `0 0 ${h} ${days[0]} ${months} ${days[1]}`
        const span = { step: HOUR_MS, count: 12_000 }
        const after = at.getTime()

        expect(isCron(cron)).toBe(true)
        expect(nextWithin(cron, after, span)).toBe(search(cron, after, span))
      }),
      { numRuns: 80 },
    )
  })
})
