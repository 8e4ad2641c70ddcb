import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isQuartzCron } from '../../../src/document/rules/quartz-cron.ts'
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

function dayAfter(at: Date, days: number): Date {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days, 12)
}

function isWorkingDay(at: Date): boolean {
  return at.getDay() !== 0 && at.getDay() !== 6
}

function isDayOfMonth(field: string, at: Date): boolean {
  const lastDay = new Date(at.getFullYear(), at.getMonth() + 1, 0).getDate()
  if (field === 'L') return at.getDate() === lastDay
  if (!field.endsWith('W')) return isIn(field, at.getDate(), DAYS)
  const wanted = field === 'LW' ? lastDay : Number.parseInt(field, 10)
  if (wanted > lastDay || !isWorkingDay(at)) return false
  const distance = Math.abs(at.getDate() - wanted)
  const nearer = [-2, -1, 0, 1, 2].filter((days) => {
    const day = new Date(at.getFullYear(), at.getMonth(), wanted + days, 12)
    return day.getMonth() === at.getMonth() && isWorkingDay(day) && Math.abs(days) < distance
  })
  return distance <= 2 && nearer.length === 0
}

function isDayOfWeek(field: string, at: Date): boolean {
  if (field === 'L') return at.getDay() === 6
  const [, weekday, kind, nth] = /^(\d)(L|#)(\d?)$/.exec(field) ?? []
  if (weekday === undefined) return isIn(field, at.getDay() + 1, WEEKDAYS)
  if (at.getDay() + 1 !== Number(weekday)) return false
  if (kind === 'L') return dayAfter(at, 7).getMonth() !== at.getMonth()
  const before = dayAfter(at, -7 * Number(nth))
  const first = dayAfter(at, -7 * (Number(nth) - 1))
  return first.getMonth() === at.getMonth() && before.getMonth() !== at.getMonth()
}

function fires(cron: string, at: Date): boolean {
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ')
  return (
    isIn(second, at.getSeconds(), { min: 0, max: 59 }) &&
    isIn(minute, at.getMinutes(), { min: 0, max: 59 }) &&
    isIn(hour, at.getHours(), { min: 0, max: 23 }) &&
    isIn(month, at.getMonth() + 1, { min: 1, max: 12 }) &&
    (day === '?' || isDayOfMonth(day, at)) &&
    (weekday === '?' || isDayOfWeek(weekday, at))
  )
}

/** Looks at every moment of a span, one after the other. */
function search(cron: string, after: number, span: { step: number; count: number }): number | null {
  const first = Math.floor(after / span.step) * span.step
  for (let n = 1; n <= span.count; n += 1) {
    const at = first + n * span.step
    if (fires(cron, new Date(at))) return at
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

        expect(isQuartzCron(cron)).toBe(true)
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

        expect(isQuartzCron(cron)).toBe(true)
        expect(nextWithin(cron, after, span)).toBe(search(cron, after, span))
      }),
      { numRuns: 80 },
    )
  })
})
