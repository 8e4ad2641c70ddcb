import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { NewAuditEntry } from '../../../../src/core/service/audit.ts'
import { CommandEntries, recordCommand } from '../../../../src/notify/audit/command-entries.ts'
import { tempDir } from '../../../support/disk/temp-folder.ts'

const NOW = Date.now()
const MINUTE_MS = 60_000
const ACTION = { user: 'root', action: 'create-token', target: '/api/tokens' }

/** A server that starts at some time; what it has taken in. */
function serverAt(folder: string, time = NOW) {
  const kept: NewAuditEntry[] = []
  const keep = async (entry: NewAuditEntry) => kept.push(entry) > 0
  const entries = new CommandEntries({ folder, keep, clock: () => time, log: () => undefined })
  return { kept, [Symbol.asyncDispose]: () => entries[Symbol.asyncDispose]() }
}

describe('the entry of a command', () => {
  it('is taken in once by the server that runs next, with its own time and target', async () => {
    const folder = join(tempDir(), 'commands')
    const before = Date.now()
    await recordCommand(
      folder,
      ACTION,
      async () => 'a1',
      (id) => `/api/tokens/${id}`,
    )
    const after = Date.now()

    await using server = serverAt(folder, NOW + MINUTE_MS)

    await expect.poll(() => server.kept).toHaveLength(1)
    expect(server.kept).toMatchObject([
      { ...ACTION, target: '/api/tokens/a1', address: 'command line', outcome: 'done' },
    ])
    expect(server.kept[0]?.time).toBeGreaterThanOrEqual(before)
    expect(server.kept[0]?.time).toBeLessThanOrEqual(after)
    await expect.poll(() => readdirSync(folder)).toEqual([])
  })

  it('is taken in by a server that runs already', { tags: ['long'] }, async () => {
    const folder = join(tempDir(), 'commands')
    await using server = serverAt(folder)

    await recordCommand(folder, ACTION, async () => {})

    await expect.poll(() => server.kept).toMatchObject([ACTION])
  })

  it('waits while the audit log does not take it', { tags: ['long'] }, async () => {
    const folder = join(tempDir(), 'commands')
    await recordCommand(folder, ACTION, async () => {})
    let asked = 0
    const keep = async () => (asked += 1) > 1
    const common = { folder, clock: Date.now, log: () => undefined }

    await using entries = new CommandEntries({ ...common, keep })
    expect(entries).toBeDefined()
    await expect.poll(() => asked).toBe(1)
    expect(readdirSync(folder)).toHaveLength(1)

    await expect.poll(() => readdirSync(folder)).toEqual([])
    expect(asked).toBe(2)
  })

  it('is not left by one that fails', async () => {
    const folder = join(tempDir(), 'commands')

    const work = recordCommand(folder, ACTION, () => Promise.reject(new Error('no such user')))

    await expect(work).rejects.toThrow('no such user')
    expect(readdirSync(folder)).toEqual([])
  })

  it('says of one that was cut off that it may have been done', async () => {
    const folder = join(tempDir(), 'commands')
    const begun = await new Promise<string[]>((resolve) => {
      void recordCommand(folder, ACTION, () => {
        resolve(readdirSync(folder))
        return new Promise(() => {})
      })
    })
    expect(begun).toHaveLength(1)

    await using soon = serverAt(folder, Date.now() + MINUTE_MS / 2)
    await using later = serverAt(folder, Date.now() + 2 * MINUTE_MS)

    await expect
      .poll(() => later.kept)
      .toMatchObject([{ ...ACTION, outcome: 'failed', reason: 'cut-off' }])
    expect(soon.kept).toEqual([])
  })

  it('is told of where it cannot be read, and what is no entry stays', async () => {
    const folder = join(tempDir(), 'commands')
    mkdirSync(folder)
    writeFileSync(join(folder, '1.json'), '{"user":')
    writeFileSync(join(folder, 'notes.txt'), 'mine')

    await using server = serverAt(folder)

    await expect
      .poll(() => server.kept)
      .toMatchObject([{ action: 'damaged-entry', target: '1.json', outcome: 'failed' }])
    await expect.poll(() => readdirSync(folder)).toEqual(['notes.txt'])
  })
})
