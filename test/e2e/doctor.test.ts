// @module-tag long
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '../../src/storage/sqlite-engine.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { placesIn } from '../support/service/backups.ts'
import { startService } from '../support/service/service.ts'
import { command } from '../support/programs/command.ts'

/** Bytes of a page of SQLite. */
const PAGE = 4096

async function aStoppedService(): Promise<string> {
  const service = await startService()
  await service.close()
  return service.folder
}

/** The rows of every table of a state file. */
function rowsIn(file: string): unknown {
  const database = new DatabaseSync(file)
  const tables = z
    .array(z.object({ name: z.string() }))
    .parse(database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all())
  const rows = tables.map(({ name }) => [name, database.prepare(`SELECT * FROM "${name}"`).all()])
  database.close()
  return rows
}

function doctor(folder: string, ...flags: readonly string[]) {
  return command(['doctor', ...placesIn(folder), ...flags])
}

describe('cairn doctor', () => {
  it('ends with 1 for what it finds, repairs it when told to, and ends with 0', async () => {
    const folder = await aStoppedService()
    writeFileSync(join(folder, 'config-repo', '.git', 'index.lock'), '')

    const seen = await doctor(folder)
    const repaired = await doctor(folder, '--repair')
    const again = await doctor(folder)

    expect(seen.code).toBe(1)
    expect(seen.stdout).toMatch(/index\.lock was left .* would be repaired with --repair/)
    expect(repaired.code).toBe(0)
    expect(repaired.stdout).toMatch(/moved aside is in .*\.git\/cairn\/doctor/)
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.stdout).toMatch(/config-repo is whole\n.*state\.sqlite is whole\n$/)
  })

  it('makes a state anew whose indexes are damaged', async () => {
    const folder = await aStoppedService()
    const file = join(folder, 'state', 'state.sqlite')
    const database = new DatabaseSync(file)
    const { page } = z
      .object({ page: z.number() })
      .parse(
        database.prepare("SELECT rootpage AS page FROM sqlite_schema WHERE type = 'index'").get(),
      )
    database.close()
    const bytes = readFileSync(file)
    bytes.fill(0, (page - 1) * PAGE, page * PAGE)
    // A new file: this process may still hold the one that its service has closed.
    rmSync(file)
    writeFileSync(file, bytes)

    const seen = await doctor(folder)
    const repaired = await doctor(folder, '--repair')

    expect(seen.code).toBe(1)
    expect(seen.stderr).toContain('--repair rebuilds it')
    expect(repaired.code).toBe(0)
    expect(repaired.stdout).toMatch(
      /repaired: rebuilt from its tables; the damaged one is in .*doctor/,
    )
    expect(await doctor(folder)).toMatchObject({ code: 0, stderr: '' })
  })

  it('says that a damaged state is to be restored from a backup', async () => {
    const folder = await aStoppedService()
    truncateSync(join(folder, 'state', 'state.sqlite'), 5_000)

    const { code, stderr } = await doctor(folder, '--repair')

    expect(code).toBe(1)
    expect(stderr).toContain('restore a backup')
  })

  it('leaves a state as it is that a newer version wrote, as the service does', async () => {
    const folder = await aStoppedService()
    const file = join(folder, 'state', 'state.sqlite')
    const database = new DatabaseSync(file)
    database.exec("UPDATE meta SET n = 99 WHERE key = 'version'")
    database.close()
    const before = rowsIn(file)

    const ended = [
      await doctor(folder, '--repair'),
      await command(['serve', '--port', '0', ...placesIn(folder)]),
    ]

    const way = 'start that one, or restore a backup from before it'
    const versions = String.raw`it has version 99, and this program knows \d+`
    const said = `^cairn: .* a newer version of this program wrote it: ${way}: ${versions}\n$`
    for (const { code, stderr } of ended) {
      expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(said))])
    }
    expect(rowsIn(file)).toEqual(before)
  })
})
