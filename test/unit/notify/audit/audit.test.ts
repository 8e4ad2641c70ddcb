import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Action } from '../../../../src/core/service/audit.ts'
import { Audit } from '../../../../src/notify/audit/audit.ts'
import { moveFormerFiles } from '../../../../src/notify/audit/former-files.ts'
import { openSqliteState } from '../../../../src/state/open-sqlite.ts'
import type { StateStore } from '../../../../src/state/state-store.ts'
import { tempDir } from '../../../support/disk/temp-folder.ts'
import { ALL_ENTRIES, entriesOf } from '../../../support/service/audit-reading.ts'

/** An audit log in the state of a folder, with the files of an earlier version taken in. */
class OpenedAudit extends Audit {
  readonly #state: StateStore

  private constructor(state: StateStore, options: ConstructorParameters<typeof Audit>[0]) {
    super(options)
    this.#state = state
  }

  static async in(folder: string, maxSize = 1_000_000): Promise<OpenedAudit> {
    const common = { clock: () => 5, log: () => undefined }
    const state = await openSqliteState(join(folder, 'state.sqlite'))
    const store = state.auditLog({ ...common, maxSize })
    await moveFormerFiles(folder, store)
    return new OpenedAudit(state, { ...common, leave: async () => undefined, store })
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    await this.#state[Symbol.asyncDispose]()
  }
}

function action(more: Partial<Action> = {}): Action {
  return { user: 'ana', action: 'save', target: '/x', address: 'a', outcome: 'done', ...more }
}

function refusal(more: Partial<Action> = {}): Action {
  return action({ user: 'eve', outcome: 'refused', status: 403, ...more })
}

describe('the audit log', () => {
  it('keeps every action through 20,000 refusals of visitors, users and agents', async () => {
    const folder = tempDir()
    const audit = await OpenedAudit.in(folder, 100_000)
    for (let n = 0; n < 100; n += 1) await audit.note(action({ target: `/${n}` }))

    const floods = Array.from({ length: 20_000 }, async (_, n) => {
      const target = `/${n}`
      if (n % 3 === 0) return audit.note(refusal({ target, action: `call-${n % 600}` }))
      const claimed = `invented-${n}`
      if (n % 3 === 1) return audit.noteOften(refusal({ user: '', status: 401, claimed }))
      return audit.noteOften(refusal({ user: '', target, address: `10.0.${n % 50}.1` }))
    })
    await Promise.all(floods)
    await audit[Symbol.asyncDispose]()

    await using again = await OpenedAudit.in(folder, 100_000)
    const kept = await entriesOf(again, { user: 'ana' })
    expect(kept.map(({ target }) => target)).toEqual(
      Array.from({ length: 100 }, (_, n) => `/${99 - n}`),
    )
    const refused = await entriesOf(again, { outcome: 'refused' })
    expect(refused.length).toBeGreaterThan(50)
    expect(JSON.stringify(refused).length).toBeLessThan(30_000)
  })

  it('counts every refusal, though it names those of a thousand kinds only', async () => {
    const folder = tempDir()
    const audit = await OpenedAudit.in(folder, 2_000_000)
    for (let n = 0; n < 1_500; n += 1) {
      for (let time = 0; time < 3; time += 1) await audit.noteOften(refusal({ claimed: `c${n}` }))
    }
    await audit[Symbol.asyncDispose]()

    await using again = await OpenedAudit.in(folder, 2_000_000)
    const entries = await entriesOf(again)
    const others = entries.filter((entry) => entry.action === 'other-actions')
    expect(entries.reduce((sum, { times }) => sum + (times ?? 1), 0)).toBe(4_500)
    expect(others).toEqual([
      expect.objectContaining({ user: '', outcome: 'refused', times: 1_499, first: 5, last: 5 }),
    ])
  })

  it('is read in the order of its numbers, page by page, whatever was refused between', async () => {
    await using audit = await OpenedAudit.in(tempDir())
    for (let n = 0; n < 60; n += 1) {
      const target = `/${n}`
      await audit.note(n % 3 === 0 ? action({ target }) : refusal({ target, action: `call-${n}` }))
    }

    const entries = await entriesOf(audit)

    expect(entries.map(({ target }) => target)).toEqual(
      Array.from({ length: 60 }, (_, n) => `/${59 - n}`),
    )
    expect(entries.map(({ id }) => id)).toEqual(Array.from({ length: 60 }, (_, n) => 60 - n))
  })

  it('gives others their turn while a long log is searched and measured', async () => {
    await using state = await openSqliteState(join(tempDir(), 'state.sqlite'))
    const log = state.auditLog({ clock: () => 5, log: () => undefined, maxSize: 100_000_000 })
    const json = JSON.stringify({ time: 5, ...action() })
    const rows = Array.from(
      { length: 10_000 },
      (_, n) => ({ id: n + 1, share: 'actions', json }) as const,
    )
    await log.takeIn(rows)
    let turns = 0
    const turn = () => {
      turns += 1
      timer = setImmediate(turn)
    }
    let timer = setImmediate(turn)

    await log.read({ ...ALL_ENTRIES, user: 'nobody' })
    const whileSearched = turns
    await log.append('actions', { time: 5, ...action() })
    await log[Symbol.asyncDispose]()
    clearImmediate(timer)

    expect(whileSearched).toBeGreaterThanOrEqual(9)
    expect(turns - whileSearched).toBeGreaterThanOrEqual(9)
  })

  it('takes in the files of an earlier version once, with their numbers', async () => {
    const folder = tempDir()
    const lineOf = (id: number, more: Partial<Action>) =>
      JSON.stringify({ id, time: 1, ...action(more) })
    const files = {
      'audit-000000000000001.jsonl': [lineOf(1, {}), 'damaged', lineOf(4, {}), '{"id":5,"ti'],
      'refusals-000000000000003.jsonl': [lineOf(3, { user: 'eve', outcome: 'refused' }), ''],
    }
    const write = () => {
      for (const [name, lines] of Object.entries(files)) {
        writeFileSync(join(folder, name), lines.join('\n'))
      }
    }
    write()

    const audit = await OpenedAudit.in(folder)
    await audit.note(refusal())
    await audit[Symbol.asyncDispose]()
    // As after a crash before the files were removed.
    write()
    await using again = await OpenedAudit.in(folder)
    await again.note(action())

    expect((await entriesOf(again)).map(({ id, user, action: what }) => [id, user, what])).toEqual([
      [6, 'ana', 'save'],
      [5, 'eve', 'save'],
      [4, 'ana', 'save'],
      [3, 'eve', 'save'],
      [2, '', 'damaged-entry'],
      [1, 'ana', 'save'],
    ])
    expect(readdirSync(folder).filter((file) => file.endsWith('.jsonl'))).toEqual([])
  })
})
