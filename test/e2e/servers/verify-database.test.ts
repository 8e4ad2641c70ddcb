// @module-tag long
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { git, gitLine } from '../../support/git/git.ts'
import { command } from '../../support/programs/command.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { placesIn } from '../../support/service/backups.ts'
import { folderBeside, openOver } from '../../support/service/database-server.ts'
import { save } from '../../support/service/saving.ts'

describe('a repository beside its log', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  /** A stopped server with three saves in its database. */
  async function stopped() {
    const database = cluster.freshSchema()
    const server = await openOver(database)
    for (const name of ['one', 'two', 'three']) await save(server, documentWith(name))
    await server.close()
    const repository = join(server.folder, 'config-repo')
    const places = placesIn(server.folder)
    const verify = () => command(['verify', '--config-repo', repository, '--state', database])
    const doctor = (...more: string[]) =>
      command(['doctor', ...places, '--state', database, ...more])
    return { database, server, repository, verify, doctor }
  }

  it('is verified with it, and said to be behind or elsewhere', async () => {
    const { database, server, repository, verify } = await stopped()
    const whole = await verify()
    const other = await openOver(database, folderBeside(server))
    await save(other, documentWith('four'))
    const behind = await verify()
    git(repository, 'commit', '-q', '--allow-empty', '-m', 'Go elsewhere')
    const elsewhere = await verify()

    expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining('database is whole') })
    expect(behind).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^note: .*catches up$/m),
    })
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/its entry 5: neither is in the history of the other/),
    })
  })

  it('is verified with it, and said where entries or packs are lost or damaged', async () => {
    const { database, verify } = await stopped()
    const sql = postgres(database)
    const faults: string[] = []
    const damages = [
      sql`DELETE FROM log_entry WHERE sequence = 2`,
      sql`DELETE FROM log_pack WHERE sequence = 3`,
      sql`UPDATE log_base_part SET bytes = substring(bytes from 2)`,
    ]
    for (const damage of damages) {
      await damage
      const { code, stderr } = await verify()
      faults.push(`${code} ${stderr}`)
    }
    await sql.end()

    expect(faults).toEqual([
      expect.stringMatching(
        /^1 .*lacks entries .* which is 4\n.*pack of entry 2, and not that entry/s,
      ),
      expect.stringMatching(/^1 .*The pack of entry 3 of the log is not whole/s),
      expect.stringMatching(/^1 .*The base of the log, at entry 1, is not whole.*cannot be read/s),
    ])
  })

  it('gets back from it what it has lost', async () => {
    const { repository, doctor, verify } = await stopped()
    const head = gitLine(repository, 'rev-parse', 'HEAD')
    const objects = join(repository, '.git', 'objects')
    for (const name of readdirSync(objects)) {
      if (/^[0-9a-f]{2}$/.test(name)) rmSync(join(objects, name), { recursive: true })
    }

    const seen = await doctor()
    const repaired = await doctor('--repair')

    expect(seen.code).toBe(1)
    expect(repaired.stdout).toContain('written again from the database')
    expect(repaired.code).toBe(0)
    expect(gitLine(repository, 'rev-parse', 'HEAD')).toBe(head)
    expect(git(repository, 'fsck', '--strict', '--no-dangling')).toBe('')
    expect(await verify()).toMatchObject({ code: 0 })
  })
})
