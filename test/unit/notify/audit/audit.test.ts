import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Action, AuditEntry, AuditQuery } from '../../../../src/core/audit.ts'
import { Audit } from '../../../../src/notify/audit/audit.ts'
import { AuditFiles } from '../../../../src/notify/audit/audit-files.ts'
import { tempDir } from '../../../support/disk/temp-folder.ts'

const ALL: AuditQuery = {
  before: null,
  limit: 10,
  user: null,
  action: null,
  outcome: null,
  address: null,
  since: null,
  until: null,
}

async function openIn(folder: string, largest = 1_000_000): Promise<Audit> {
  const common = { clock: () => 5, log: () => undefined }
  return new Audit({
    ...common,
    leave: async () => undefined,
    store: await AuditFiles.open({ ...common, folder, largest }),
  })
}

function action(more: Partial<Action> = {}): Action {
  return { user: 'ana', action: 'save', target: '/x', address: 'a', outcome: 'done', ...more }
}

function refusal(more: Partial<Action> = {}): Action {
  return action({ user: 'eve', outcome: 'refused', status: 403, ...more })
}

/** Every entry, read page by page. */
async function entriesOf(audit: Audit, more: Partial<AuditQuery> = {}): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  let before: number | null = null
  do {
    const page = await audit.read({ ...ALL, ...more, before })
    entries.push(...page.entries)
    before = page.next
  } while (before !== null)
  return entries
}

function filesIn(folder: string, name: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.startsWith(`${name}-`))
    .map((file) => join(folder, file))
    .toSorted()
}

describe('the audit log in its files', () => {
  it('keeps every action through 20,000 refusals of visitors, users and agents', async () => {
    const folder = tempDir()
    const audit = await openIn(folder, 100_000)
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

    await using again = await openIn(folder, 100_000)
    const kept = await entriesOf(again, { user: 'ana' })
    expect(kept.map(({ target }) => target)).toEqual(
      Array.from({ length: 100 }, (_, n) => `/${99 - n}`),
    )
    const sizes = filesIn(folder, 'refusals').map((file) => statSync(file).size)
    expect(sizes.length).toBeLessThanOrEqual(16)
  })

  it('counts every refusal, though it names those of a thousand kinds only', async () => {
    const folder = tempDir()
    const audit = await openIn(folder)
    for (let n = 0; n < 1_500; n += 1) {
      for (let time = 0; time < 3; time += 1) await audit.noteOften(refusal({ claimed: `c${n}` }))
    }
    await audit[Symbol.asyncDispose]()

    await using again = await openIn(folder)
    const entries = await entriesOf(again)
    const others = entries.filter((entry) => entry.action === 'other-actions')
    expect(entries.reduce((sum, { times }) => sum + (times ?? 1), 0)).toBe(4_500)
    expect(others).toEqual([
      expect.objectContaining({ user: '', outcome: 'refused', times: 1_499, first: 5, last: 5 }),
    ])
  })

  it('is read in the order of its numbers, page by page, whatever was refused between', async () => {
    await using audit = await openIn(tempDir())
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

  it('goes on from a log that had actions and refusals in the same files', async () => {
    const folder = tempDir()
    const old = [1, 2, 3].map((id) => JSON.stringify({ id, time: 1, ...action() }))
    writeFileSync(join(folder, 'audit-000000000000001.jsonl'), `${old.join('\n')}\n`)

    await using audit = await openIn(folder)
    await audit.note(refusal())
    await audit.note(action())

    expect((await entriesOf(audit)).map(({ id, user }) => [id, user])).toEqual([
      [5, 'ana'],
      [4, 'eve'],
      [3, 'ana'],
      [2, 'ana'],
      [1, 'ana'],
    ])
  })

  it.each(['audit', 'refusals'])('cuts off the torn last line of its %s', async (name) => {
    const folder = tempDir()
    const audit = await openIn(folder)
    for (const each of [action(), refusal(), action(), refusal()]) await audit.note(each)
    await audit[Symbol.asyncDispose]()
    appendFileSync(filesIn(folder, name)[0] ?? '', '{"id":5,"time":7,"us')

    await using again = await openIn(folder)
    for (const each of [refusal(), action()]) await again.note(each)

    const entries = await entriesOf(again)
    expect(entries.map(({ id, user }) => [id, user])).toEqual([
      [6, 'ana'],
      [5, 'eve'],
      [4, 'eve'],
      [3, 'ana'],
      [2, 'eve'],
      [1, 'ana'],
    ])
  })
})
