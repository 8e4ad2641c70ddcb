import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aConfiguration } from '../../support/documents/a-configuration.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { git } from '../../support/git/git.ts'
import { shared } from '../../support/programs/at-end.ts'
import { ClientCommands } from '../../support/service/client-commands.ts'
import { save } from '../../support/service/saving.ts'
import { startService } from '../../support/service/service.ts'
import { makeToken } from '../../support/service/tokens.ts'
import { command } from '../../support/programs/command.ts'

const ONE = aConfiguration({ groups: [{ group: 'first', pipelines: [{ name: 'alpha' }] }] })
const TWO = aConfiguration({
  groups: [{ group: 'first', pipelines: [{ name: 'alpha' }, { name: 'beta' }] }],
})

const opened = shared(async () => {
  const service = await startService()
  await save(service, ONE)
  await save(service, TWO)
  return { service, client: new ClientCommands(service) }
})

/** The commands of a server that answers everything alike. */
async function clientOf(answer: RequestListener): Promise<ClientCommands> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  return new ClientCommands({
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
  })
}

describe('the commands that read', () => {
  it('list revisions with number, author and summary, newest first', async () => {
    const { client } = opened()
    const [newest = '', next = ''] = await client.lines('history', '--limit', '2')

    expect(newest).toMatch(/^r3 {2}\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}admin {2}.*beta/)
    expect(next).toMatch(/^r2 /)
  })

  it('have words for a revision of which the original server wrote facts alone', async () => {
    const folder = tempDir()
    const repository = join(folder, 'config-repo')
    mkdirSync(repository)
    git(repository, 'init', '--quiet', '-b', 'master')
    writeFileSync(join(repository, 'config.xml'), ONE)
    git(repository, 'add', 'config.xml')
    const facts = 'schema_version:75|go_edition:OpenSource|go_version:15.2.0(2248-c1f90a6aa3192a)'
    const md5 = createHash('md5').update(ONE).digest('hex')
    const record = `user:Gunnar|timestamp:1450718883389|${facts}|md5:${md5}`
    git(repository, 'commit', '--quiet', '-m', record)
    const client = new ClientCommands(await startService([], folder))

    const [oldest] = (await client.lines('history')).slice(-1)
    const shown = await client.lines('show', 'r1')

    expect(oldest).toMatch(/^r1 .* Gunnar {2}Configuration changed$/)
    expect(shown).toContain('Configuration changed')
  })

  it('list those of an entity, of a time and of a user', async () => {
    const { client } = opened()
    const ofBeta = await client.lines('history', '--entity', 'pipeline/beta')
    const later = await client.run('history', '--since', '2099-01-01')
    const ofNobody = await client.run('history', '--by', 'nobody')

    expect(ofBeta).toHaveLength(1)
    expect([later.stdout, ofNobody.stdout]).toEqual(['', ''])
  })

  it('give what the server answers as JSON', async () => {
    const { service, client } = opened()
    const { stdout } = await client.run('history', '--json', '--limit', '1')

    expect(JSON.parse(stdout)).toEqual(
      await (await service.fetch('/api/config/revisions?limit=1')).json(),
    )
  })

  it('show a revision in words, and its bytes', async () => {
    const { client } = opened()
    const words = await client.lines('show', 'r3')
    const { stdout: bytes } = await client.run('show', 'r2', '--xml')
    const { stdout: entity } = await client.run('show', 'r3', '--entity', 'pipeline/beta', '--xml')

    expect(words[0]).toMatch(/^r3 by admin, /)
    expect(words.at(-1)).toMatch(/^pipeline\/beta: add pipeline beta/)
    expect(bytes).toBe(ONE)
    expect(entity).toMatch(/^<pipeline name="beta">[^]*<\/pipeline>\n$/)
  })

  it('compare revisions in lines and in words, with exit code 4 where that is asked for', async () => {
    const { service, client } = opened()
    const lines = await client.run('diff', 'r2', 'r3')
    const asked = await client.run('diff', 'r2', '--exit-code')
    const same = await client.run('diff', 'r3', '--exit-code')
    const words = await client.lines('diff', 'r2', 'r3', '--words')

    expect(lines.stdout).toBe(await (await service.fetch('/api/config/diff/r2/r3')).text())
    expect([lines.code, asked.code, same.code]).toEqual([0, 4, 0])
    expect(same.stdout).toBe('')
    expect(words).toEqual([expect.stringMatching(/^pipeline\/beta: add pipeline beta/)])
  })

  it('name the revision that wrote each line, as git blame', async () => {
    const { client } = opened()
    const lines = await client.lines('blame')
    const ofBeta = await client.lines('blame', 'current', '--entity', 'pipeline/beta')

    expect(lines).toHaveLength(TWO.trimEnd().split('\n').length)
    expect(lines.find((line) => line.includes('name="alpha"'))).toMatch(/^r2 admin /)
    expect(ofBeta[0]).toMatch(/^r3 admin +\d{4}-\d\d-\d\d +\d+ +<pipeline name="beta">/)
    expect(ofBeta.every((line) => line.startsWith('r3 '))).toBe(true)
  })

  it('find where a text came or went', async () => {
    const { client } = opened()
    expect(await client.lines('search', 'name="beta"')).toEqual([expect.stringMatching(/^r3 /)])
  })

  it('log in by a token in a file', async () => {
    const { service, client } = opened()
    const { token } = await makeToken(service, 'read')
    const file = client.file('token', `${token}\n`)

    const { code, stdout } = await command([
      'history',
      '--limit=1',
      `--server=${service.url}`,
      `--token-file=${file}`,
    ])

    expect([code, stdout.startsWith('r3 ')]).toEqual([0, true])
  })
})

describe('the exit code of a command', () => {
  it('is 1 with the words of the server where it refuses', async () => {
    const { client } = opened()
    const refused = await client.run('show', 'r99')
    const malformed = await client.run('history', '--entity', 'nothing')
    const elsewhere = await client.run('show', '../../users')

    expect([refused.code, refused.stderr]).toEqual([1, 'cairn: There is no revision r99\n'])
    expect(elsewhere.stderr).toBe('cairn: There is no revision ../../users\n')
    expect(malformed.code).toBe(1)
    expect(malformed.stderr).toMatch(/^cairn: entity: "nothing" is not an entity: .*\n$/)
  })

  it.each([
    [['show']],
    [['show', 'r1', 'r2']],
    [['search', '']],
    [['history', '--limit', 'many']],
    [['blame', '--entity', 'pipeline/x', '--nonsense']],
  ])('is 2 for the words %j', async (args) => {
    const { client } = opened()
    const { code, stderr } = await client.run(...args)

    expect(code).toBe(2)
    expect(stderr.split('\n')).toHaveLength(2)
  })

  it('is 2 without a way to log in, and with two', async () => {
    const { service, client } = opened()
    const at = ['--server', service.url]
    const none = await command(['history', ...at])
    const two = await client.run('history', '--token-file', '/nowhere')

    expect([none.code, two.code]).toEqual([2, 2])
    expect(none.stderr).toBe('cairn: give --token-file, or --user and --password-file\n')
  })

  it('is of the flags alone where the environment names another way to log in', async () => {
    const { service, client } = opened()
    const at = ['--server', service.url]
    const token = client.file('token', `${(await makeToken(service, 'read')).token}\n`)
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('CAIRN_TOKEN_FILE', '/nowhere')
    const byPassword = await client.run('history')
    const byVariable = await command(['history', ...at])
    vi.stubEnv('CAIRN_USER', 'admin')
    vi.stubEnv('CAIRN_PASSWORD_FILE', '/nowhere')
    const byToken = await command(['history', ...at, `--token-file=${token}`])

    expect([byPassword, byVariable, byToken].map(({ code }) => code)).toEqual([0, 2, 0])
  })

  it('is 3 where the server does not know the caller, or is not there', async () => {
    const { service } = opened()
    const unknown = new ClientCommands(service, 'admin:wrong')
    const nowhere = new ClientCommands({ url: 'http://127.0.0.1:1' })

    const [stranger, absent] = [await unknown.run('history'), await nowhere.run('history')]

    expect([stranger.code, stranger.stderr]).toEqual([3, 'cairn: The credentials are wrong\n'])
    expect(absent.code).toBe(3)
    expect(absent.stderr).toMatch(/^cairn: The server does not answer: .*\n$/)
  })

  it('is 3 where the server leads elsewhere, which is not asked', async () => {
    const asked: string[] = []
    const client = await clientOf(({ url = '' }, response) => {
      asked.push(url)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })

    const { code, stderr } = await client.run('history', '--limit', '1')

    expect([code, asked]).toEqual([3, ['/api/config/revisions?limit=1']])
    expect(stderr).toMatch(/^cairn: The server does not answer: .*\n$/)
  })

  it('is 3 for an answer that is not as the interface describes it', async () => {
    const client = await clientOf((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[{}]')
    })

    const { code, stderr } = await client.run('history', '--json')

    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^cairn: The server answers something else: 0\..*\n$/),
    ])
  })
})
