import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nextFire } from '../../../../src/document/timer/next-fire.ts'

function next(cron: string, after: Date): string | null {
  const at = nextFire(cron, after.getTime())
  return at === null ? null : describeTime(new Date(at))
}

/** By the clock of the machine, as cron expressions are. */
function describeTime(at: Date): string {
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(padded).join('-')
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(padded).join(':')}`
}

function padded(value: number): string {
  return String(value).padStart(2, '0')
}

/** From midnight to noon, in UTC. */
function firesOn(cron: string, day: string): string[] {
  const fires: string[] = []
  const end = Date.parse(`${day}T12:00:00`)
  for (let at = nextFire(cron, Date.parse(`${day}T00:00:00`)); at !== null && at < end;) {
    fires.push(new Date(at).toISOString().slice(11, 16))
    at = nextFire(cron, at)
  }
  return fires
}

describe('nextFire', () => {
  const noon = new Date(2024, 0, 31, 12)

  it.each([
    ['0 0 12 * * ?', '2024-02-01 12:00:00'],
    ['1 0 12 * * ?', '2024-01-31 12:00:01'],
    ['0 0/20 14,18 * * ?', '2024-01-31 14:00:00'],
    ['0 15 10 ? * mon-fri', '2024-02-01 10:15:00'],
    ['0 0 22-4/3 * * ?', '2024-01-31 22:00:00'],
    ['0 0 0 29 2 ?', '2024-02-29 00:00:00'],
    ['0 0 0 29 2 ? 2025-2030', '2028-02-29 00:00:00'],
    ['0 0 0 L 2 ?', '2024-02-29 00:00:00'],
    ['0 0 0 LW * ?', '2024-02-29 00:00:00'],
    ['0 0 0 1W 6 ?', '2024-06-03 00:00:00'],
    ['0 0 0 31W * ?', '2024-03-29 00:00:00'],
    ['0 0 0 ? * 6L', '2024-02-23 00:00:00'],
    ['0 0 0 ? * FRI#5', '2024-03-29 00:00:00'],
    ['0 0 0 ? * L', '2024-02-03 00:00:00'],
    ['\t 0  0 0 1 JAN ? 2030/5', '2030-01-01 00:00:00'],
    ['30/0 */0 12 * * ?', '2024-01-31 12:00:30'],
  ])('of %j is %s', (cron, expected) => {
    expect(next(cron, noon)).toBe(expected)
  })

  it.each(['0 0 0 30 2 ?', '0 0 0 * * ? 2023', '0 0 0 ? 2 5#5 2025', '0 0 0 * * ? 2030-2028'])(
    'of %j is never',
    (cron) => {
      expect(next(cron, noon)).toBe(null)
    },
  )

  it('is after the moment itself, and after fractions of it', () => {
    const second = new Date(2024, 0, 31, 12, 0, 5)

    expect(next('5 * * * * ?', second)).toBe('2024-01-31 12:01:05')
    expect(next('5 * * * * ?', new Date(second.getTime() - 1))).toBe('2024-01-31 12:00:05')
  })
})

describe('nextFire, in the night in which the clock of Berlin', () => {
  const zone = process.env['TZ']
  beforeEach(() => {
    process.env['TZ'] = 'Europe/Berlin'
  })
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  it.each([
    ['0 30 2 * * ?', ['00:30']],
    ['0 0/30 2,3 * * ?', ['00:00', '00:30', '02:00', '02:30']],
    ['0 10 * * * ?', ['22:10', '23:10', '00:10', '01:10', '02:10']],
  ])('is put back, fires %j once, or in every hour', (cron, expected) => {
    expect(firesOn(cron, '2025-10-26').slice(0, 5)).toEqual(expected)
  })

  it.each([
    ['0 30 2 * * ?', ['01:00']],
    ['0 15/30 2,3 * * ?', ['01:00', '01:15', '01:45']],
    ['0 10 * * * ?', ['23:10', '00:10', '01:10', '02:10', '03:10']],
  ])('is put forward, leaves none of %j out', (cron, expected) => {
    expect(firesOn(cron, '2025-03-30').slice(0, 5)).toEqual(expected)
  })
})
