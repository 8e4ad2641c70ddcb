// @module-tag long
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WRITER_LOCK } from '../../../src/state/postgres-driver.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { git, gitLine } from '../../support/git/git.ts'
import { Clone } from '../../support/git/git-client.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { run } from '../../support/programs/start.ts'
import { TcpProxy } from '../../support/programs/tcp-proxy.ts'
import { until } from '../../support/programs/until.ts'
import {
  type DatabaseServer,
  folderBeside,
  kill,
  openOver,
  serveFlags,
  serveOver,
  stop,
} from '../../support/service/database-server.ts'
import { currentOf } from '../../support/service/servers.ts'
import { save } from '../../support/service/saving.ts'
import type { TestService } from '../../support/service/service.ts'

type Caller = Pick<DatabaseServer, 'fetch'>

/** In milliseconds: a question waits for 15 s, and for the log of a lost save it is asked once more. */
const ANSWER_TIMEOUT_MS = 40_000

const repositoryIn = (folder: string) => join(folder, 'config-repo')
const liveIn = (folder: string) => join(repositoryIn(folder), 'config.xml')

async function revisionsOf(server: Caller): Promise<unknown> {
  const revisions: unknown = await (await server.fetch('/api/config/revisions')).json()
  return revisions
}

async function healthOf(server: Caller): Promise<string> {
  return (await server.fetch('/health')).text()
}

function headOf(folder: string): string {
  return gitLine(repositoryIn(folder), 'rev-parse', 'HEAD')
}

/** Saves documents with pipelines of these names, one after the other. */
async function saveAll(server: Caller, ...names: readonly string[]): Promise<void> {
  for (const name of names) expect((await save(server, documentWith(name))).status).toBe(200)
}

/** Commits with git in a folder that no server serves. */
function commitIn(folder: string, name: string): string {
  writeFileSync(liveIn(folder), documentWith(name))
  git(repositoryIn(folder), 'commit', '-q', '-a', '-m', `Add ${name}`)
  return headOf(folder)
}

function messagesOf({ logged }: TestService): string {
  return logged.map(({ message }) => message).join('\n')
}

describe('a configuration whose history is in a database', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('is whole on a new machine after the first one was lost', async () => {
    const database = cluster.freshSchema()
    const lost = await serveOver(database)
    await saveAll(lost, 'one', 'two')
    commitIn(lost.folder, 'native')
    await expect.poll(() => currentOf(lost)).toContain('native')
    await saveAll(lost, 'three')
    const before = await revisionsOf(lost)
    await kill(lost)

    const next = await serveOver(database, folderBeside(lost))

    expect(next.program.stderr).not.toContain('live file')
    expect(await revisionsOf(next)).toEqual(before)
    expect(await currentOf(next)).toBe(readFileSync(liveIn(next.folder), 'utf8'))
    expect(await currentOf(next)).toContain('three')
    expect(headOf(next.folder)).toBe(headOf(lost.folder))
    expect(git(repositoryIn(next.folder), 'fsck', '--strict')).toBe('')
    expect(git(repositoryIn(next.folder), 'status', '--porcelain')).toBe('')
  })

  it('catches up on a machine that comes back', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    await saveAll(first, 'one')
    await first.close()
    const second = await openOver(database, folderBeside(first))
    await saveAll(second, 'two', 'three')
    const before = await revisionsOf(second)
    await second.close()

    const back = await openOver(database, first.folder)

    expect(await revisionsOf(back)).toEqual(before)
    expect(readFileSync(liveIn(first.folder), 'utf8')).toContain('three')
    await saveAll(back, 'four')
    expect(await healthOf(back)).not.toContain('refs/conflicts')
  })

  it('has what a crash between the database and the repository left out there', async () => {
    const database = cluster.freshSchema()
    const server = await openOver(database)
    await saveAll(server, 'one', 'two')
    const head = headOf(server.folder)
    await server.close()
    const repository = repositoryIn(server.folder)
    git(repository, 'update-ref', 'refs/heads/main', 'HEAD~1')
    writeFileSync(liveIn(server.folder), git(repository, 'show', 'HEAD:config.xml'))

    const again = await openOver(database, server.folder)

    expect(await currentOf(again)).toContain('two')
    expect(headOf(server.folder)).toBe(head)
    expect(readFileSync(liveIn(server.folder), 'utf8')).toContain('two')
  })

  it('keeps a commit by git that lost the race, and says what to do', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    await saveAll(first, 'one')
    await first.close()
    const second = await openOver(database, folderBeside(first))
    await saveAll(second, 'two')
    await second.close()
    const lost = commitIn(first.folder, 'lost')
    const repository = repositoryIn(first.folder)

    const back = await openOver(database, first.folder)

    const ref = `refs/conflicts/${lost}`
    expect(await currentOf(back)).toContain('two')
    expect(readFileSync(liveIn(first.folder), 'utf8')).toContain('two')
    expect(gitLine(repository, 'rev-parse', ref)).toBe(lost)
    expect(await healthOf(back)).toContain(`git update-ref -d ${ref}`)
    git(repository, 'update-ref', '-d', ref)
    await expect.poll(() => healthOf(back)).not.toContain('refs/conflicts')
  })

  it('keeps an edit of the live file that lost the race', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    await saveAll(first, 'one')
    await first.close()
    const second = await openOver(database, folderBeside(first))
    await saveAll(second, 'two')
    await second.close()
    writeFileSync(liveIn(first.folder), documentWith('lost'))

    const back = await openOver(database, first.folder)

    const refs = git(repositoryIn(first.folder), 'for-each-ref', 'refs/conflicts')
    const [, ref = ''] = /\t(refs\/conflicts\/\w+)\n$/.exec(refs) ?? []
    expect(await currentOf(back)).toContain('two')
    expect(git(repositoryIn(first.folder), 'show', `${ref}:config.xml`)).toContain('lost')
    expect(await healthOf(back)).toContain(ref)
  })

  it('has what was pushed to one server on the others, and refuses what began from less', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    await saveAll(first, 'one')
    const second = await openOver(database, folderBeside(first))
    const [clone, late] = [await Clone.of(first.url), await Clone.of(second.url)]
    await clone.commit(documentWith('pushed'))
    await late.commit(documentWith('late'))

    const pushed = await clone.push()
    await expect.poll(() => currentOf(second)).toContain('pushed')
    const refused = await late.push()

    expect(pushed.code).toBe(0)
    expect(headOf(second.folder)).toBe((await clone.git('rev-parse', 'HEAD')).trim())
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('fetch first') })
    expect(await currentOf(first)).toContain('pushed')
    expect(git(repositoryIn(second.folder), 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('refuses a push while the database is away, and takes it afterwards', async () => {
    const away = await PostgresCluster.start()
    const server = await serveOver(away.freshSchema())
    await saveAll(server, 'one')
    const head = headOf(server.folder)
    const clone = await Clone.of(server.url)
    await clone.commit(documentWith('pushed'))

    await away.stop()
    const refused = await clone.push()
    const still = headOf(server.folder)
    await away.startAgain()

    expect(refused.code).toBe(1)
    expect(still).toBe(head)
    await expect.poll(async () => (await clone.push()).code).toBe(0)
    expect(await currentOf(server)).toContain('pushed')
    await away[Symbol.asyncDispose]()
  })

  it.each(['--hard', '--mixed', '--soft'])(
    'undoes a git reset %s of one server, says so, and leaves a clean index',
    async (how) => {
      const database = cluster.freshSchema()
      const first = await openOver(database)
      await saveAll(first, 'one')
      const second = await openOver(database, folderBeside(first))
      const repository = repositoryIn(second.folder)
      await saveAll(first, 'two')
      const status = () => git(repository, 'status', '--porcelain')
      await until(async () => headOf(second.folder) === headOf(first.folder) && status() === '')
      const [head, older] = [headOf(second.folder), gitLine(repository, 'rev-parse', 'HEAD~1')]

      git(repository, 'reset', '-q', how, 'HEAD~1')

      const said = `was reset to commit ${older} on this server, and is put back to ${head}`
      await expect.poll(() => healthOf(second)).toContain(said)
      await expect.poll(() => headOf(second.folder)).toBe(head)
      await expect.poll(status).toBe('')
      expect(second.logged.map(({ message }) => message).join('\n')).toContain(said)
      expect(await currentOf(second)).toContain('two')
      await saveAll(first, 'three')
      await expect.poll(() => healthOf(second)).not.toContain('was reset')
    },
  )

  it('says that it undoes a git reset that was made while the server was stopped', async () => {
    const database = cluster.freshSchema()
    const first = await serveOver(database)
    await saveAll(first, 'one', 'two')
    const second = await serveOver(database, folderBeside(first))
    const repository = repositoryIn(second.folder)
    await until(async () => headOf(second.folder) === headOf(first.folder))
    await stop(second)
    const [head, older] = [headOf(second.folder), gitLine(repository, 'rev-parse', 'HEAD~1')]
    git(repository, 'reset', '-q', '--hard', 'HEAD~1')

    const again = await serveOver(database, second.folder)

    const said = `was reset to commit ${older} on this server, and is put back to ${head}`
    await expect.poll(() => healthOf(again)).toContain(said)
    expect(again.program.stderr).toContain(said)
    expect(headOf(again.folder)).toBe(head)
    expect(git(repository, 'status', '--porcelain')).toBe('')
  })

  it('does not take a server that was stopped during saves for one that was reset', async () => {
    const database = cluster.freshSchema()
    const first = await serveOver(database)
    await saveAll(first, 'one')
    const second = await serveOver(database, folderBeside(first))
    await saveAll(first, 'two')
    await until(async () => headOf(second.folder) === headOf(first.folder))
    await stop(second)
    await saveAll(first, 'three')

    const again = await serveOver(database, second.folder)

    await expect.poll(() => currentOf(again)).toContain('three')
    expect(again.program.stderr).not.toContain('was reset')
  })

  it('keeps an edit of the folder of a server that was behind when it was made', async () => {
    const database = cluster.freshSchema()
    const first = await serveOver(database)
    await saveAll(first, 'one')
    const second = await serveOver(database, folderBeside(first))
    second.program.process.kill('SIGSTOP')
    await saveAll(first, 'two')
    writeFileSync(liveIn(second.folder), documentWith('edited'))
    second.program.process.kill('SIGCONT')

    await expect.poll(() => healthOf(second)).toContain('refs/conflicts')
    const refs = git(repositoryIn(second.folder), 'for-each-ref', 'refs/conflicts')
    const [, ref = ''] = /\t(refs\/conflicts\/\w+)\n$/.exec(refs) ?? []
    expect(git(repositoryIn(second.folder), 'show', `${ref}:config.xml`)).toContain('edited')
    await expect.poll(() => readFileSync(liveIn(second.folder), 'utf8')).toContain('two')
    await expect.poll(() => currentOf(second)).toContain('two')
    expect(await currentOf(first)).toContain('two')
    await saveAll(second, 'three')
  })

  it('takes an edit of any folder over', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    await saveAll(first, 'one')
    const second = await openOver(database, folderBeside(first))
    await expect.poll(() => currentOf(second)).toContain('one')

    writeFileSync(liveIn(second.folder), documentWith('edited'))

    await expect.poll(() => currentOf(first)).toContain('edited')
    expect(readFileSync(liveIn(first.folder), 'utf8')).toContain('edited')
  })

  it('takes a commit back that rules refuse before any other server has it, and proposes it', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    const second = await openOver(database, folderBeside(first))
    await saveAll(first, 'one')
    const rules =
      'version: 1\nrules:\n  - name: held\n    match: { entity: pipeline/held }\n    need: [{ approvals: 1, of: user/admin }]\n'
    const headers = { 'if-none-match': '*' }
    const put = { method: 'PUT', headers, body: rules }
    expect((await first.fetch('/api/admin/rules.yaml', put)).status).toBe(200)
    await expect.poll(() => headOf(second.folder)).toBe(headOf(first.folder))
    // Git would commit without the rules as long as its index does not have them.
    const status = () => git(repositoryIn(second.folder), 'status', '--porcelain')
    await expect.poll(status).toBe('')
    const before = commitIn(second.folder, 'free')
    await expect.poll(() => headOf(first.folder)).toBe(before)

    const refused = commitIn(second.folder, 'held')
    await expect.poll(() => headOf(second.folder)).toBe(before)
    const proposals = async () => (await first.fetch('/api/proposals')).text()
    await expect.poll(proposals).toContain(refused.slice(0, 10))
    expect(await healthOf(second)).toContain(`${refused.slice(0, 10)} by Gil (Add held) was taken`)
    expect([headOf(first.folder), status()]).toEqual([before, ''])

    for (const verb of ['approve', 'merge']) {
      const json = { 'content-type': 'application/json' }
      const post = { method: 'POST', headers: json, body: '{}' }
      expect((await first.fetch(`/api/proposals/1/${verb}`, post)).status).toBe(200)
    }
    await expect.poll(() => currentOf(second)).toContain('held')
    await expect.poll(() => healthOf(second)).not.toContain('taken back')
  })

  it('begins with the repository of the first server', async () => {
    const [database, folder] = [cluster.freshSchema(), tempDir()]
    mkdirSync(repositoryIn(folder))
    git(repositoryIn(folder), 'init', '-q', '-b', 'main')
    writeFileSync(liveIn(folder), documentWith('adopted'))
    git(repositoryIn(folder), 'add', '.')
    commitIn(folder, 'older')
    const first = await openOver(database, folder)
    const before = await revisionsOf(first)
    await first.close()
    const empty = folderBeside(first)
    git(empty, 'init', '-q', '-b', 'main', repositoryIn(empty))

    const second = await openOver(database, empty)

    expect(await revisionsOf(second)).toEqual(before)
    expect(await currentOf(second)).toContain('older')
    expect(readFileSync(liveIn(empty), 'utf8')).toContain('older')
    expect(messagesOf(second)).not.toContain('live file')
  })

  it('has commits of the same object format on every server', async () => {
    const [database, folder] = [cluster.freshSchema(), tempDir()]
    mkdirSync(repositoryIn(folder))
    git(repositoryIn(folder), 'init', '-q', '-b', 'main', '--object-format=sha256')
    writeFileSync(liveIn(folder), documentWith('adopted'))
    git(repositoryIn(folder), 'add', '.')
    commitIn(folder, 'older')
    const first = await openOver(database, folder)
    await saveAll(first, 'saved')
    const before = await revisionsOf(first)
    await first.close()
    const foreign = folderBeside(first)
    git(foreign, 'init', '-q', '-b', 'main', '--object-format=sha1', repositoryIn(foreign))

    const refused = await run(serveFlags(database, foreign))
    const second = await openOver(database, folderBeside(first))

    expect(await revisionsOf(second)).toEqual(before)
    expect(headOf(second.folder)).toMatch(/^[0-9a-f]{64}$/)
    await saveAll(second, 'there')
    expect(messagesOf(second)).not.toContain('live file')
    expect(git(repositoryIn(second.folder), 'fsck', '--strict')).toBe('')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/object format sha1, the history in the database sha256: start/)
  })

  it('is not mixed with a history that has nothing of it', async () => {
    const database = cluster.freshSchema()
    const first = await openOver(database)
    await saveAll(first, 'one')
    await first.close()
    const folder = folderBeside(first)
    mkdirSync(repositoryIn(folder))
    git(repositoryIn(folder), 'init', '-q', '-b', 'main')
    writeFileSync(liveIn(folder), documentWith('foreign'))
    git(repositoryIn(folder), 'add', '.')
    const foreign = commitIn(folder, 'foreign-2')

    const refused = await run(serveFlags(database, folder))

    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^cairn: The repository has a history without any commit of /m)
    expect(headOf(folder)).toBe(foreign)
  })

  it('takes no change while the database is away, and goes on afterwards', async () => {
    const away = await PostgresCluster.start()
    const server = await serveOver(away.freshSchema())
    await saveAll(server, 'one')
    const head = headOf(server.folder)

    await away.stop()
    const refused = await save(server, documentWith('two'))
    const reason = await refused.text()
    const read = await currentOf(server)
    const still = headOf(server.folder)
    await away.startAgain()

    expect(refused.status).toBe(503)
    expect(reason).toContain('unavailable')
    expect(reason).not.toMatch(/127\.0\.0\.1|:\d{4}/)
    expect(read).toContain('one')
    expect(still).toBe(head)
    await expect.poll(async () => (await save(server, documentWith('three'))).status).toBe(200)
    await away[Symbol.asyncDispose]()
  })

  it('answers a save whose connection was cut without a word, and takes the next one', async () => {
    const database = cluster.freshSchema()
    await using proxy = await TcpProxy.open(database)
    const server = await serveOver(proxy.through(database))
    await saveAll(server, 'one')

    // Questions at once, so that each connection that the server may have is there, and is cut.
    await Promise.all(Array.from({ length: 8 }, () => server.fetch('/health/ready')))
    proxy.silence()
    const started = performance.now()
    const answer = await save(server, documentWith('two'))
    const took = performance.now() - started
    const text = await answer.text()

    // What the save began from may have got no answer, or the save itself, which is sent again.
    expect([200, 503]).toContain(answer.status)
    expect(text).toContain(answer.status === 200 ? 'is saved' : 'unavailable')
    expect((await currentOf(server)).includes('two')).toBe(answer.status === 200)
    expect(took).toBeLessThan(ANSWER_TIMEOUT_MS)
    expect(text).not.toContain('127.0.0.1')
    await expect.poll(async () => (await save(server, documentWith('three'))).status).toBe(200)
    expect(await currentOf(server)).toContain('three')
    expect((await stop(server)).code).toBe(0)
  })

  it('goes on when connections are lost while they are made', async () => {
    const database = cluster.freshSchema()
    await using proxy = await TcpProxy.open(database)
    const server = await openOver(proxy.through(database))
    await saveAll(server, 'one')

    // The client of the database asks for types of arrays before anything else, unless told not to.
    proxy.cutBefore('typarray')
    proxy.cutOff()
    proxy.heal()

    await expect.poll(async () => (await save(server, documentWith('two'))).status).toBe(200)
    await server.close()
  })

  it('takes a save while another server hangs in the middle of a change of the state', async () => {
    const database = cluster.freshSchema()
    const server = await openOver(database)
    await saveAll(server, 'one')
    const other = postgres(database, { max: 1 })
    const hung = await other.reserve()

    await hung`BEGIN`
    await hung`SELECT pg_advisory_xact_lock(${WRITER_LOCK})`
    const saved = await save(server, documentWith('two'))
    const held =
      await hung`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`
    await hung`ROLLBACK`
    hung.release()
    await other.end()

    expect(saved.status).toBe(200)
    expect(held).toHaveLength(1)
  })

  it('has a save once whose commit the database could not confirm', async () => {
    const database = cluster.freshSchema()
    await using proxy = await TcpProxy.open(database)
    const server = await openOver(proxy.through(database))
    await saveAll(server, 'one')

    // A pack in what the client sends: then the statement has all that it needs.
    proxy.cutAfter(Buffer.from('PACK').toString('hex'))
    const saved = await save(server, documentWith('two'))

    expect(proxy.hasCut).toBe(true)
    expect(saved.status).toBe(200)
    expect(await currentOf(server)).toContain('two')
    expect(gitLine(repositoryIn(server.folder), 'rev-list', '--count', 'HEAD')).toBe('3')
    await saveAll(server, 'three')
    await server.close()
  })
})
