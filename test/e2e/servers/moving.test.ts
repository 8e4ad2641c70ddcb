// @module-tag long
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { fastImport } from '../../support/git/fast-import.ts'
import { git, gitLine } from '../../support/git/git.ts'
import { command } from '../../support/programs/command.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { findCommand } from '../../support/programs/programs.ts'
import {
  type DatabaseServer,
  folderBeside,
  openOver,
  serveOver,
  stop,
} from '../../support/service/database-server.ts'
import { pausePipeline, setLease } from '../../support/service/servers.ts'
import { save } from '../../support/service/saving.ts'
import { startService } from '../../support/service/service.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

type Caller = Pick<DatabaseServer, 'fetch'>

async function textOf(server: Caller, path: string): Promise<string> {
  return (await server.fetch(path)).text()
}

/** The configuration and the builds as callers see them. */
async function seenBy(server: Caller): Promise<readonly string[]> {
  const paths = ['/api/config/revisions', '/api/admin/config.xml', '/api/pipelines/app/status']
  return Promise.all(paths.map((path) => textOf(server, path)))
}

/** The entries of the audit log, newest first, without their numbers. */
async function notedBy(server: Caller): Promise<readonly unknown[]> {
  const { entries } = AuditBody.parse(await (await server.fetch('/api/audit')).json())
  return entries.map((entry) => ({ ...entry, id: 0 }))
}

function programOf(name: string): string {
  return findCommand(name) ?? name
}

describe('a service that moves', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('goes back to one machine with a dump of the state and the repository of any server', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    await save(first, documentWith('app'))
    await pausePipeline(first, 'app', 'moving back')
    await first.close()
    const second = await openOver(database, folderBeside(first))
    await save(second, documentWith('app', 'other'))
    const before = await seenBy(second)
    const noted = await notedBy(second)
    await second.close()
    const dump = join(second.folder, 'dump')
    writeFileSync(dump, (await command(['state', 'dump', '--state', database])).stdout)

    const loaded = await command([
      'state',
      'load',
      dump,
      '--state-dir',
      join(second.folder, 'state'),
    ])
    const single = await startService([], second.folder)

    expect(loaded.code).toBe(0)
    expect(await seenBy(single)).toEqual(before)
    expect(before[2]).toContain('moving back')
    expect(noted.length).toBeGreaterThan(3)
    expect(await notedBy(single)).toEqual(noted)
    expect((await save(single, documentWith('app'))).status).toBe(200)
  })

  it('takes its audit log along into a database, whole or not at all', async () => {
    const [database, folder] = [cluster.freshSchema(), tempDir()]
    const state = ['--state-dir', join(folder, 'state')]
    const single = await startService([], folder)
    await save(single, documentWith('app'))
    await pausePipeline(single, 'app', 'moving')
    await single.fetch('/api/agents', { as: 'eve:wrong' })
    const noted = await notedBy(single)
    await single.close()
    const { stdout } = await command(['state', 'dump', ...state])
    const [whole, cut] = [join(folder, 'whole'), join(folder, 'cut')]
    writeFileSync(whole, stdout)
    writeFileSync(cut, stdout.split('\n').slice(0, -2).join('\n'))

    const refused = await command(['state', 'load', cut, '--state', database])
    const loaded = await command(['state', 'load', whole, '--state', database])
    const again = await command(['state', 'load', whole, '--state-dir', join(folder, 'state')])
    const next = await openOver(database, folder)

    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^cairn: .*cut off/) })
    expect([loaded.code, again.code]).toEqual([0, 1])
    expect(again.stderr).toContain('state.sqlite exists already')
    expect((await notedBy(next)).slice(-noted.length)).toEqual(noted)
  })

  it('brings a long history in once, from which other servers start', async () => {
    const [database, folder] = [cluster.freshSchema(), tempDir()]
    const repository = join(folder, 'config-repo')
    mkdirSync(repository)
    git(repository, 'init', '-q', '-b', 'main')
    writeFileSync(join(repository, 'config.xml'), documentWith('first'))
    git(repository, 'add', '.')
    git(repository, 'commit', '-q', '-m', 'Begin')
    const documents = Array.from({ length: 10_000 }, (_, n) => documentWith(`app-${n % 50}`))
    await fastImport(repository, documents)
    git(repository, 'reset', '-q', '--hard')
    const first = await serveOver(database, folder)
    await stop(first)
    const second = await serveOver(database, folderBeside(first))
    const sql = postgres(database)

    const there = join(second.folder, 'config-repo')
    expect(gitLine(there, 'rev-list', '--count', 'HEAD')).toBe('10001')
    expect(gitLine(there, 'rev-parse', 'HEAD')).toBe(gitLine(repository, 'rev-parse', 'HEAD'))
    expect(await sql`SELECT sequence FROM log_entry`).toHaveLength(1)
    expect(await sql`SELECT sequence FROM log_pack`).toHaveLength(0)
    await sql.end()
  })

  it('is restored from what pg_dump copied, with keys and artifacts', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    await save(first, documentWith('app'))
    await pausePipeline(first, 'app', 'for the backup')
    const before = await seenBy(first)
    const [dump, kept] = [join(tempDir(), 'database.dump'), tempDir()]
    const url = new URL(database)
    const schema = url.searchParams.get('search_path') ?? ''
    url.search = ''
    execFileSync(programOf('pg_dump'), [
      '--format=custom',
      `--schema=${schema}`,
      '-f',
      dump,
      url.href,
    ])
    for (const name of ['secret.keys', 'artifacts']) {
      const file = join(first.folder, 'state', name)
      if (existsSync(file)) cpSync(file, join(kept, 'state', name), { recursive: true })
    }
    await save(first, documentWith('app', 'after-the-backup'))
    await first.close()

    execFileSync(programOf('psql'), ['-q', url.href, '-c', 'CREATE DATABASE restored'])
    const restored = new URL(database)
    restored.pathname = '/restored'
    url.pathname = '/restored'
    execFileSync(programOf('pg_restore'), ['--exit-on-error', '-d', url.href, dump])
    const server = await openOver(restored.href, kept)

    // In the copy the lost server leads, until another one takes over.
    await setLease(restored.href, '0')
    await expect.poll(() => seenBy(server)).toEqual(before)
    expect((await save(server, documentWith('app', 'new'))).status).toBe(200)
  })
})
