// @module-tag long
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { command } from '../../support/programs/command.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { run, start } from '../../support/programs/start.ts'
import { until } from '../../support/programs/until.ts'
import {
  folderBeside,
  keysIn,
  markerIn,
  openOver,
  serveFlags,
  serveOver,
} from '../../support/service/database-server.ts'
import { SOMEONE } from '../../support/service/someone-else.ts'
import { addSomeoneTo, pausePipeline, pausedBy } from '../../support/service/servers.ts'
import { save } from '../../support/service/saving.ts'
import { ADMIN_PASSWORD, startService } from '../../support/service/service.ts'
import { HealthBody } from '../../../src/wire/health-body.ts'

describe('a server with its state in PostgreSQL', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('finds it again after a stop, and keeps none in its folder', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    await save(first, documentWith('app'))
    expect(await pausePipeline(first, 'app', 'release')).toBe(200)
    await first.close()

    const second = await openOver(database, first.folder)

    expect(await pausedBy(second, 'app')).toMatchObject({ paused: true, pausedCause: 'release' })
    expect(existsSync(join(first.folder, 'state', 'state.sqlite'))).toBe(false)
  })

  it('takes the state of a single server along, and gives it back', async () => {
    const single = await startService()
    await save(single, documentWith('app'))
    await pausePipeline(single, 'app', 'moving')
    await single.close()
    const [database, dump] = [cluster.freshSchema(), join(single.folder, 'dump')]
    const place = ['--state-dir', join(single.folder, 'state')]

    const unmoved = await run(serveFlags(database, single.folder))
    writeFileSync(dump, (await command(['state', 'dump', ...place])).stdout)
    const loaded = await command(['state', 'load', dump, '--state', database])
    const server = await openOver(database, single.folder)
    const there = await pausedBy(server, 'app')
    const checked = await command(['state', 'check', '--state', database])
    const copied = await command(['backup', 'archive', '--state', database])
    const back = (await command(['state', 'dump', '--state', database])).stdout

    expect(unmoved).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^cairn: The database is empty, and .*cairn state load/),
    })
    expect(loaded.code).toBe(0)
    expect(there).toMatchObject({ paused: true, pausedCause: 'moving' })
    expect(checked).toMatchObject({ code: 0, stdout: 'The database is whole\n' })
    expect(copied).toMatchObject({ code: 2, stderr: expect.stringContaining('use pg_dump') })
    expect(back).toContain('"moving"')
  })

  it('takes the state of a single server from its folder, unless it has one', async () => {
    const single = await startService()
    await save(single, documentWith('app'))
    await pausePipeline(single, 'app', 'moving')
    await single.close()
    const place = ['--state-dir', join(single.folder, 'state')]
    const move = ['state', 'load', ...place, '--state', cluster.freshSchema()]

    const moved = await command(move)
    const again = await command(move)
    const server = await openOver(move.at(-1) ?? '', single.folder)

    expect([moved.code, again.code]).toEqual([0, 1])
    expect(await pausedBy(server, 'app')).toMatchObject({ paused: true, pausedCause: 'moving' })
  })

  it('refuses another server with other keys, or with another folder of artifacts', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    const [withoutKeys, withoutArtifacts] = [folderBeside(first), folderBeside(first)]
    rmSync(keysIn(withoutKeys))
    rmSync(markerIn(withoutArtifacts))

    const keys = await run(serveFlags(database, withoutKeys))
    const artifacts = await run(serveFlags(database, withoutArtifacts))

    expect(keys).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^cairn: .*secret\.keys lacks the key [0-9a-f]{16} .*\n$/),
    })
    expect(existsSync(keysIn(withoutKeys))).toBe(false)
    expect(artifacts).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^cairn: .*artifacts is not the folder .* mount it there\n$/),
    })
  })

  it('has the users in it: those of a single server, and those that a command changes', async () => {
    const single = await startService()
    await single.close()
    const database = cluster.freshSchema()
    const [dump, place] = [join(single.folder, 'dump'), join(single.folder, 'state')]
    await run(['user', 'add', 'ana', '--state-dir', place], { input: 'a password\n' })
    writeFileSync(dump, (await command(['state', 'dump', '--state-dir', place])).stdout)
    await command(['state', 'load', dump, '--state', database])
    const first = await openOver(database, single.folder)
    const second = await openOver(database, folderBeside(first))
    const statusOf = async (as: string) => (await second.fetch('/api/agents', { as })).status

    // A new server has none to forward to until it has heard of the leader.
    await expect
      .poll(() => Promise.all([`admin:${ADMIN_PASSWORD}`, 'ana:a password'].map(statusOf)))
      .toEqual([200, 200])
    await addSomeoneTo(database, [first, second])
    const listed = await command(['user', 'list', '--state', database])
    const token = await command(['token', 'create', 't', '--user', 'someone', '--state', database])
    await command(['user', 'remove', 'someone', '--state', database])
    await until(async () => (await statusOf(SOMEONE)) === 401)

    expect(listed.stdout).toBe('admin\nana\nsomeone\n')
    expect(token.code).toBe(0)
    await until(async () => (await statusOf(`someone:${token.stdout.trim()}`)) === 401)
    expect(existsSync(join(second.folder, 'state', 'users.htpasswd'))).toBe(false)
    const said = first.logged.map(({ message }) => message).join('\n')
    expect(said).toContain('The users are in the database now')
  })

  it('refuses another server without the users file that is named, and warns of an address that none can reach', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    const flags = serveFlags(database, folderBeside(first))
    const withoutPassword = flags.filter(
      (flag) => flag !== '--admin-password' && flag !== ADMIN_PASSWORD,
    )

    const refused = await run([...withoutPassword, '--users-file', join(tempDir(), 'users')])
    const everywhere = start([...flags, '--host', '0.0.0.0'])
    await everywhere.line(/^cairn ready (\S+)\n$/)

    expect(refused).toMatchObject({
      code: 1,
      stderr: lineWith('users is missing: every server needs the same users'),
    })
    await until(() => everywhere.stderr.includes('name an address with --advertise'))
  })

  it('is refused with a database that is not there, or newer than the program', async () => {
    const database = cluster.freshSchema()
    await (await openOver(database)).close()
    const sql = postgres(database)
    await sql`UPDATE meta SET n = 1000 WHERE key = 'cluster-version'`
    await sql.end()
    const nowhere = new URL(database)
    nowhere.pathname = '/nothing'
    const wrong = ['postgres://cairn@127.0.0.1:1/cairn', nowhere.href, database]

    const [closed, missing, newer] = await Promise.all(
      wrong.map((url) => run(serveFlags(url, tempDir()))),
    )
    const bad = await run(serveFlags('mysql://cairn', tempDir()))

    expect(closed).toMatchObject({
      code: 1,
      stderr: lineWith('PostgreSQL: nothing listens at its address'),
    })
    expect(missing).toMatchObject({ code: 1, stderr: lineWith('"nothing" does not exist') })
    expect(newer).toMatchObject({
      code: 1,
      stderr: lineWith('version 1000, and this program knows'),
    })
    expect(bad).toMatchObject({
      code: 2,
      stderr: lineWith('is not an address such as postgres://'),
    })
  })

  it('goes on serving the configuration while the database is away, and says so', async () => {
    const away = await PostgresCluster.start()
    const server = await serveOver(away.freshSchema())
    await save(server, documentWith('app'))

    await away[Symbol.asyncDispose]()

    const ready = await server.fetch('/health/ready')
    expect(ready.status).toBe(503)
    expect(await ready.text()).toContain('The state store cannot be read')
    expect((await server.fetch('/api/admin/config.xml')).status).toBe(200)
    expect(await pausePipeline(server, 'app', 'release')).toBe(503)
    await expect
      .poll(async () => (await server.fetch('/health')).text())
      .toContain('The database does not answer')
    const { problems } = HealthBody.parse(await (await server.fetch('/health')).json())
    const told = problems.filter(({ subject }) => subject.includes('PostgreSQL'))
    expect(told.map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^The database does not answer: PostgreSQL: /),
    ])
  })
})

/** Matches one line of the program that has this text. */
function lineWith(text: string): unknown {
  return expect.stringMatching(new RegExp(`^cairn: .*${text}.*\n$`))
}
