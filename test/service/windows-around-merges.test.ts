// @module-tag long
import { describe, expect, it } from 'vitest'
import { shared } from '../support/programs/at-end.ts'
import { edited, GUARDED, OTHER_GOAL } from '../support/gate/guarded-document.ts'
import { GuardedService } from '../support/gate/guarded-service.ts'

const WORSE = edited('<param name="goal">all<', '<param name="goal">worse<')
const WEEKEND = 'weekly: "fri 16:00 - mon 07:00", zone: Europe/Berlin'
const NIGHT = 'weekly: "sat 22:00 - sun 02:30", zone: Europe/Berlin'
const SPRING = 'weekly: "sun 01:00 - sun 03:30", zone: Europe/Berlin'
const YEAR_END = 'from: 2026-12-20, to: 2027-01-04'

/** Moments that lie in a window, however clocks show them. */
const MOMENTS: readonly (readonly [what: string, window: string, now: string])[] = [
  ['the first moment of a window', WEEKEND, '2027-01-15T15:00:00Z'],
  ['a day inside', WEEKEND, '2027-01-16T12:00:00Z'],
  ['the last moment of a window', WEEKEND, '2027-01-18T05:59:59.999Z'],
  ['summer time', WEEKEND, '2027-07-02T14:00:00Z'],
  ['the weekend on which clocks are put forward', WEEKEND, '2027-03-29T04:59:59.999Z'],
  ['the weekend on which clocks are put back', WEEKEND, '2027-11-01T05:59:59.999Z'],
  ['the last moment before the hour that is left out', NIGHT, '2027-03-28T00:59:59.999Z'],
  ['the moment after the hour that is left out', SPRING, '2027-03-28T01:00:00Z'],
  ['an hour that comes twice, the first time', NIGHT, '2027-10-31T00:29:00Z'],
  ['an hour that comes twice, the second time', NIGHT, '2027-10-31T01:29:59.999Z'],
  ['between the two hours', NIGHT, '2027-10-31T00:45:00Z'],
  ['the first day, ahead of UTC', `${YEAR_END}, zone: Pacific/Auckland`, '2026-12-19T11:00:00Z'],
  [
    'the last day, behind UTC',
    `${YEAR_END}, zone: America/Los_Angeles`,
    '2027-01-05T07:59:59.999Z',
  ],
  ['the second of two windows', `${YEAR_END}, zone: UTC }, { ${WEEKEND}`, '2027-01-16T12:00:00Z'],
]

function freeze(window: string): string {
  return `version: 1
rules:
  - name: freeze
    match: { entity: pipeline in group/pay }
    window: [{ ${window} }]
    effect: deny
`
}

describe('in a window', () => {
  const time = { now: Date.parse('2026-11-30T12:00:00Z') }
  const opened = shared(() => GuardedService.open(() => time.now))

  it.each(MOMENTS)('nothing merges: %s', async (_what, window, now) => {
    const guarded = opened()
    await guarded.rules(freeze(window))
    const number = await guarded.propose('ann', { document: OTHER_GOAL })
    await guarded.must('abe', number, 'approve')
    time.now = Date.parse(now)
    const merged = await guarded.act('ann', number, 'merge')
    const saved = await guarded.put(OTHER_GOAL)

    expect([merged.status, saved.status]).toEqual([403, 403])
    expect(merged.text).toContain('The rule freeze allows no change of pipeline/bill until ')
    expect(await guarded.document()).toBe(GUARDED)
    await guarded.must('ann', number, 'close')
  })

  it('what was to merge by itself then stays open, says why, and merges afterwards', async () => {
    const guarded = opened()
    await guarded.rules(freeze(WEEKEND))
    time.now = Date.parse('2027-01-15T12:00:00Z')
    const when = '2027-01-16T12:00:00Z'
    const number = await guarded.propose('ann', { document: OTHER_GOAL, when })
    const find = async () => JSON.parse((await guarded.call(`/api/proposals/${number}`)).text)
    expect(await find()).toMatchObject({ state: 'open', when: '2027-01-16T12:00:00.000Z' })

    time.now = Date.parse('2027-01-16T12:00:01Z')
    await expect.poll(async () => (await find()).held).toContain('The rule freeze')
    expect(await guarded.document()).toBe(GUARDED)
    time.now = Date.parse('2027-01-18T06:00:00Z')
    await expect.poll(async () => (await find()).state).toBe('merged')
    expect(await guarded.document()).toBe(OTHER_GOAL)
  })
})

describe('a proposal that is to merge by itself', () => {
  const time = { now: Date.parse('2027-01-15T12:00:00Z') }

  it('does not once its author cannot log in any more, and says so', async () => {
    const guarded = await GuardedService.open(() => time.now)
    const when = '2027-01-16T12:00:00Z'
    const number = await guarded.propose('vic', { document: OTHER_GOAL, when })
    await guarded.must('abe', number, 'approve')
    await guarded.call('/api/users/vic/disable', { method: 'POST' })
    const find = async () => JSON.parse((await guarded.call(`/api/proposals/${number}`)).text)

    time.now = Date.parse(when)

    await expect
      .poll(find)
      .toMatchObject({ state: 'open', held: 'The author vic cannot log in any more' })
    expect(await guarded.document()).toBe(GUARDED)
  })

  it('does so by the rights of who wrote its newest version, whoever opened it', async () => {
    const guarded = await GuardedService.open(() => time.now)
    const find = async () => JSON.parse((await guarded.call('/api/proposals/1')).text)
    const waiting = async () =>
      JSON.parse((await guarded.call('/api/proposals?waiting-for=me', { as: 'abe' })).text)
    await guarded.propose('root', { document: OTHER_GOAL, when: '2030-01-01T00:00:00Z' })
    await guarded.must('vic', 1, 'update', { document: WORSE, when: 'approved' })

    await expect.poll(find).toMatchObject({
      state: 'open',
      held: expect.stringContaining('beyond what vic administers'),
    })
    expect(await guarded.document()).toBe(GUARDED)
    expect(await waiting()).toMatchObject([{ number: 1 }])
    time.now += 1_000
    await guarded.must('abe', 1, 'approve')
    await expect.poll(find).toMatchObject({ state: 'merged', author: 'root' })
    expect(await guarded.document()).toBe(WORSE)
  })
})
