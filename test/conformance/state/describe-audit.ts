import { describe, expect, it } from 'vitest'
import type { NewAuditEntry } from '../../../src/core/service/audit.ts'
import type { LogEvent } from '../../../src/lib/log.ts'
import { streamed } from './notes.ts'
import { openedState, type StatePlace } from './state-place.ts'
import { entriesOf } from '../../support/service/audit-reading.ts'

function entry(more: Partial<NewAuditEntry> = {}): NewAuditEntry {
  const action = { user: 'ana', action: 'save', target: '/x', address: 'a' }
  return { time: 5, ...action, outcome: 'done', ...more }
}

/** The targets in the audit log that a dump leaves in another store. */
async function loadedIn(
  freshPlace: () => Promise<StatePlace>,
  dump: readonly string[],
): Promise<readonly string[]> {
  const elsewhere = await freshPlace()
  try {
    await elsewhere.load(streamed(dump))
    await using copy = await elsewhere.open()
    const log = copy.auditLog({ maxSize: 1_000_000, clock: () => 7, log: () => undefined })
    return (await entriesOf(log)).map(({ target }) => target)
  } finally {
    await elsewhere.remove()
  }
}

/** The audit log is a table of each engine. */
export function describeAudit(freshPlace: () => Promise<StatePlace>): void {
  describe('the audit log', () => {
    const at = openedState(freshPlace)
    const opened = (maxSize = 1_000_000, log: (event: LogEvent) => void = () => undefined) =>
      at.store.auditLog({ maxSize, clock: () => 7, log })

    it('is read newest first, page by page, and by its fields', async () => {
      const log = opened()
      for (let n = 1; n <= 25; n += 1) {
        const refused = { user: 'eve', outcome: 'refused' } as const
        await log.append(n % 5 === 0 ? 'refusals' : 'actions', {
          ...entry({ target: `/${n}` }),
          ...(n % 5 === 0 ? refused : {}),
        })
      }

      const entries = await entriesOf(log, { limit: 4 })
      const refusals = await entriesOf(log, { user: 'EVE', limit: 2 })

      expect(entries.map(({ target }) => target)).toEqual(
        Array.from({ length: 25 }, (_, n) => `/${25 - n}`),
      )
      expect(entries.map(({ id }) => id).toSorted((one, other) => other - one)).toEqual(
        entries.map(({ id }) => id),
      )
      expect(refusals.map(({ target }) => target)).toEqual(['/25', '/20', '/15', '/10', '/5'])
    })

    it('takes an entry that may be there already once', async () => {
      const log = opened()
      await log.append('actions', entry({ request: 'r1', status: 200 }))
      const reordered: NewAuditEntry = { status: 200, request: 'r1', ...entry() }

      await log.append('actions', reordered, { mayBeThere: true })
      await log.append('actions', entry({ request: 'r2' }), { mayBeThere: true })

      expect((await entriesOf(log)).map((each) => each.request)).toEqual(['r2', 'r1'])
    })

    it('drops its oldest entries at its maximal size, of one share alone, and says which', async () => {
      const warnings: string[] = []
      const log = opened(40_000, ({ message }) => warnings.push(message))
      for (let n = 0; n < 10; n += 1) await log.append('refusals', entry({ user: 'eve', time: n }))

      const times = Array.from({ length: 1_000 }, (_, n) => n)
      for (const time of times) await log.append('actions', entry({ time }))
      await log[Symbol.asyncDispose]()

      const kept = await entriesOf(log)
      const mine = kept.filter(({ user }) => user === 'ana').map(({ time }) => time)
      expect(mine).toEqual(times.slice(-mine.length).toReversed())
      expect(mine.length).toBeGreaterThan(300)
      expect(mine.length).toBeLessThan(500)
      expect(kept.filter(({ user }) => user === 'eve')).toHaveLength(10)
      expect(kept).toContainEqual(
        expect.objectContaining({
          action: 'shorten-audit-log',
          target: expect.stringMatching(/^entries \d+ to \d+$/),
        }),
      )
      expect(warnings[0]).toMatch(/^The audit log is full: its entries \d+ to \d+ are removed$/)
    })

    it('is in a dump, also in one of the first version, and may be missing there alone', async () => {
      const log = opened()
      await log.append('actions', entry({ target: '/one' }))
      await log.append('refusals', entry({ target: '/two', outcome: 'refused' }))
      const lines: string[] = []
      for await (const line of at.store.dump()) lines.push(line)
      const ofFirst = lines.with(0, '{"version":1}')
      const withoutAudit = lines.slice(0, -3)

      expect(await loadedIn(freshPlace, lines)).toEqual(['/two', '/one'])
      expect(await loadedIn(freshPlace, ofFirst)).toEqual(['/two', '/one'])
      expect(await loadedIn(freshPlace, withoutAudit.with(0, '{"version":1}'))).toEqual([])
      await expect(loadedIn(freshPlace, withoutAudit)).rejects.toMatchObject({
        code: 'unavailable',
      })
      await expect(loadedIn(freshPlace, lines.toSpliced(-2, 1))).rejects.toMatchObject({
        code: 'unavailable',
      })
    })
  })
}
