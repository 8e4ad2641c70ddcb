import { describe, expect, it } from 'vitest'
import { readRules } from '../../../../../src/configuration/gate/rules/read-rules.ts'
import { endOfWindows } from '../../../../../src/configuration/gate/rules/windows.ts'

function endAt(window: string, moment: string): string | null {
  const text = `version: 1\nrules: [{ name: a, effect: deny, window: ${window} }]`
  const reading = readRules(Buffer.from(text))
  const windows = reading.ok ? (reading.rules.rules[0]?.windows ?? []) : []
  const end = endOfWindows(windows, Date.parse(moment))
  return end === null ? null : new Date(end).toISOString().slice(0, 16)
}

const YEAR_END = '{ from: 2026-12-20, to: 2027-01-04, zone: Europe/Berlin }'
const WEEKEND = '{ weekly: fri 16:00 - mon 07:00, zone: Europe/Berlin }'
/** Clocks are put forward on 2026-03-29 at 02:00, and back on 2026-10-25 at 03:00. */
const NIGHT = '{ weekly: sun 02:30 - sun 02:45, zone: Europe/Berlin }'
const SPRING = '{ from: 2026-03-29 02:30, to: 2026-03-29 12:00, zone: Europe/Berlin }'

const MOMENTS: readonly (readonly [window: string, moment: string, end: string | null])[] = [
  [YEAR_END, '2026-12-19T22:59:59Z', null],
  [YEAR_END, '2026-12-19T23:00:00Z', '2027-01-04T23:00'],
  [YEAR_END, '2027-01-04T22:59:59Z', '2027-01-04T23:00'],
  [YEAR_END, '2027-01-04T23:00:00Z', null],
  [
    '{ from: 2026-06-01 08:00, to: 2026-06-01 09:00, zone: Asia/Kolkata }',
    '2026-06-01T02:30:00Z',
    '2026-06-01T03:30',
  ],
  [
    '{ from: 2026-06-01 08:00, to: 2026-06-01 09:00, zone: Asia/Kolkata }',
    '2026-06-01T02:29:59Z',
    null,
  ],
  ['{ from: 2026-06-01, to: 2026-06-01, zone: UTC }', '2026-06-01T23:59:59Z', '2026-06-02T00:00'],
  [WEEKEND, '2026-11-27T14:59:59Z', null],
  [WEEKEND, '2026-11-27T15:00:00Z', '2026-11-30T06:00'],
  [WEEKEND, '2026-11-29T12:00:00Z', '2026-11-30T06:00'],
  [WEEKEND, '2026-11-30T06:00:00Z', null],
  [WEEKEND, '2026-03-27T15:00:00Z', '2026-03-30T05:00'],
  [WEEKEND, '2026-10-23T14:00:00Z', '2026-10-26T06:00'],
  [WEEKEND, '2026-01-02T15:00:00Z', '2026-01-05T06:00'],
  // A time that clocks leave out is taken as any of that hour.
  [NIGHT, '2026-03-29T00:29:59Z', null],
  [NIGHT, '2026-03-29T00:30:00Z', '2026-03-29T01:45'],
  [SPRING, '2026-03-29T00:30:00Z', '2026-03-29T10:00'],
  // A time that clocks show twice begins with the first one and ends with the second.
  [NIGHT, '2026-10-25T00:29:59Z', null],
  [NIGHT, '2026-10-25T00:30:00Z', '2026-10-25T01:45'],
  [NIGHT, '2026-10-25T01:20:00Z', '2026-10-25T01:45'],
  [NIGHT, '2026-10-25T01:45:00Z', null],
  // Windows that overlap or follow one another are one.
  [
    `[${WEEKEND}, { from: 2026-11-29, to: 2026-12-01, zone: Europe/Berlin }]`,
    '2026-11-28T12:00:00Z',
    '2026-12-01T23:00',
  ],
  [
    '{ weekly: [mon 08:00 - mon 12:00, mon 12:00 - mon 18:00], zone: UTC }',
    '2026-11-30T09:00:00Z',
    '2026-11-30T18:00',
  ],
  [
    '{ weekly: [mon 08:00 - mon 12:00, tue 08:00 - tue 12:00], zone: UTC }',
    '2026-11-30T13:00:00Z',
    null,
  ],
]

describe('the windows of a rule', () => {
  it.each(MOMENTS)('%s at %s end at %s', (window, moment, end) => {
    expect(endAt(window, moment)).toBe(end)
  })

  it('that have no end are followed for about a year', () => {
    const end = endAt(
      '{ weekly: [mon 00:00 - thu 00:00, thu 00:00 - mon 00:00], zone: UTC }',
      '2026-11-30T09:00:00Z',
    )

    expect(end).toMatch(/^2027-0/)
  })
})
