import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { commitFile, git } from '../support/git/git.ts'
import { command } from '../support/programs/command.ts'
import { DatabaseSync } from '../../src/storage/sqlite-engine.ts'
import { mayMount, SmallDisk } from '../support/disk/small-disk.ts'
import { startService } from '../support/service/service.ts'
import { run } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'

describe('cairn state', () => {
  it('dumps, checks and loads the store', async () => {
    const service = await startService()
    const agent = new CallingAgent(service)
    await agent.register()
    await service.close()
    const from = ['--state-dir', join(service.folder, 'state')]
    const target = tempDir()
    const dumpFile = join(target, 'dump.jsonl')

    const dumped = await run(['state', 'dump', ...from])
    writeFileSync(dumpFile, dumped.stdout)
    const loaded = await run(['state', 'load', dumpFile, '--state-dir', target])
    const again = await run(['state', 'dump', '--state-dir', target])
    const checked = await run(['state', 'check', '--state-dir', target])

    expect([dumped, loaded, again, checked].map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect(dumped.stdout).toContain(agent.uuid)
    expect(dumped.stdout).not.toContain(agent.token)
    expect(again.stdout).toBe(dumped.stdout)
  })

  it.skipIf(!mayMount())('says in one line that the disk is full (needs mount)', async () => {
    const service = await startService()
    await service.close()
    const dumped = await run(['state', 'dump', '--state-dir', join(service.folder, 'state')])
    using disk = new SmallDisk(1)
    const [file, target] = [join(tempDir(), 'dump.jsonl'), join(disk.path, 'state')]
    writeFileSync(file, dumped.stdout)

    for (const room of [4_096, 20_480, 32_768]) {
      disk.empty()
      disk.fill(room)
      const { code, stderr } = await run(['state', 'load', file, '--state-dir', target])

      expect(code).toBe(1)
      expect(stderr).toMatch(/^cairn: The state store is unavailable: [^\n]*disk[^\n]*\n$/)
      expect(readdirSync(target)).toEqual([])
    }
  })

  it.each(['state check', 'state dump', 'audit', 'token list', 'agent invite list'])(
    'and the like leave a store of an earlier version to its server: %s',
    async (line) => {
      const service = await startService()
      await service.close()
      using store = new DatabaseSync(join(service.folder, 'state', 'state.sqlite'))
      store.exec("UPDATE meta SET n = 1 WHERE key = 'version'")

      const { code, stdout, stderr } = await command([
        ...line.split(' '),
        '--state-dir',
        join(service.folder, 'state'),
      ])

      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(
        /^cairn: The state store is unavailable: it is that of an earlier version of this program \(1, and not \d\): stop the service, and start it with this version once\n$/,
      )
      expect(store.prepare("SELECT n FROM meta WHERE key = 'version'").get()).toEqual({ n: 1 })
    },
  )

  it('makes no store where there is none', async () => {
    const { code, stderr } = await run(['state', 'check', '--state-dir', tempDir()])

    expect(code).toBe(1)
    expect(stderr).toContain('state.sqlite')
  })
})

describe('a command in a folder where no service has run', () => {
  it.each([
    ['secrets rotate', 'config-repo is not a git repository: name that of a service with --config'],
    ['report', 'config-repo is not a git repository'],
    ['token list', 'state.sqlite is missing: name the state folder of a service with --state-dir'],
    ['user list', 'users.htpasswd is missing: name the state folder of a service with --state-dir'],
    ['user remove ana', 'users.htpasswd is missing: name the state folder of a service'],
  ])('such as %s says what is missing, and makes nothing', async (line, message) => {
    const cwd = tempDir()

    const { code, stdout, stderr } = await run(line.split(' '), { cwd })

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^cairn: \/[^\n]+\n$/)
    expect(stderr).toContain(message)
    expect(readdirSync(cwd)).toEqual([])
  })

  it('rotates no keys that are not there', async () => {
    const service = await startService()
    await service.close()
    const other = join(tempDir(), 'other')
    const rotate = (state: string) =>
      run(['secrets', 'rotate', '--config-repo', service.repository, '--state-dir', state])

    const nowhere = await rotate(other)
    mkdirSync(other)
    const elsewhere = await rotate(other)

    expect([nowhere.code, elsewhere.code]).toEqual([1, 1])
    expect(nowhere.stderr).toContain('/other is missing: name the state folder')
    expect(elsewhere.stderr).toContain('/secret.keys is missing: name the state folder')
    expect(readdirSync(other)).toEqual([])
  })
})

/** A repository whose commits are those of a service. */
async function servedRepository(): Promise<string> {
  const service = await startService()
  await service.close()
  return service.repository
}

/** One whose commits do not say that they are configurations. */
async function foreignRepository(): Promise<string> {
  const repository = tempDir()
  git(repository, 'init', '--quiet')
  writeFileSync(join(repository, 'config.xml'), documentWith('one'))
  commitFile(repository, { name: 'config.xml', message: 'First' })
  return repository
}

describe('cairn verify, cairn doctor and cairn archive', () => {
  it.each([
    ['a service', servedRepository],
    ['another program', foreignRepository],
  ])('say that no commit of %s has the file that is named', async (_maker, made) => {
    const repository = await made()
    const asked = (file: string) => ['--config-repo', repository, '--config-file', file]
    const said =
      'No commit has a valid configuration in config.xm: the name of the file may be wrong'

    const verified = await command(['verify', ...asked('config.xm')])
    const repair = ['--state-dir', repository, '--repair']
    const examined = await command(['doctor', ...asked('config.xm'), ...repair])
    const archived = await command([
      'archive',
      join(tempDir(), 'old.archive'),
      ...asked('config.xm'),
      '--before',
      '2100-01-01',
    ])
    const right = await command(['verify', ...asked('config.xml')])

    expect(verified).toEqual({ code: 1, stdout: '', stderr: `cairn: ${said}\n` })
    expect(examined.code).toBe(1)
    expect(examined.stdout).toContain(
      `${said}: cannot be repaired here: name it with --config-file`,
    )
    expect(examined.stdout).not.toContain('moved aside')
    const unlike = `cairn: ${repository} has no config.xm: the name of the file may be wrong\n`
    expect(archived).toEqual({ code: 1, stdout: '', stderr: unlike })
    const whole = `${repository} is whole: 1 revision in 1 commit\n`
    expect(right).toEqual({ code: 0, stdout: whole, stderr: '' })
  })

  it('say how to get back the newest commit where it is missing', async () => {
    const repository = await foreignRepository()
    const newest = git(repository, 'rev-parse', 'HEAD').trim()
    rmSync(join(repository, '.git/objects', newest.slice(0, 2), newest.slice(2)))
    const places = ['--config-repo', repository, '--config-file', 'config.xml']

    const verified = await command(['verify', ...places])
    const examined = await command(['doctor', ...places, '--state-dir', repository])
    const served = await command(['serve', '--port', '0', ...places, '--state-dir', tempDir()])

    const said = `has no commit ${newest}. Stop the service and run cairn doctor --repair, with --from`
    expect(verified).toMatchObject({ code: 1, stderr: expect.stringContaining(said) })
    expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining(said) })
    expect(examined).toMatchObject({ code: 1, stderr: '' })
    expect(examined.stdout).toContain(
      `The object ${newest} is missing: would be repaired with --repair: written again if it is found`,
    )
  })
})

describe('cairn', () => {
  it.each([
    ['serve --port 0 --state-dir @/file/x', '@/file/x: a file is where a folder has to be'],
    [
      'serve --port 0 --config-repo @/file/x --state-dir @/state',
      'The repository @/file/x cannot be used: @/file/x: a file is where a folder has to be',
    ],
    [
      'serve --port 0 --secret-keys @/folder --config-repo @/repository --state-dir @/state',
      '@/folder cannot be read: a folder is where a file has to be',
    ],
    [
      'agent --server http://127.0.0.1:9 --work-dir @/file',
      '@/file: something else is in its place',
    ],
    ['backup @/file/x.tar.gz', '@/file: a file is where a folder has to be'],
    ['restore @/none --state-dir @/other', '@/none: a file or folder is missing'],
    ['state load @/none --state-dir @/other', '@/none: a file or folder is missing'],
    ['state load @/folder --state-dir @/other', '@/folder: a folder is where a file has to be'],
    ['restore @/folder --state-dir @/other', '@/folder: a folder is where a file has to be'],
    [
      'serve --port 0 --webhooks-file @/folder --config-repo @/repository --state-dir @/state',
      '@/folder: a folder is where a file has to be',
    ],
    [
      'history --server http://127.0.0.1:2 --token-file @/token',
      'The server does not answer: nothing listens at its address',
      3,
    ],
    [
      'plan @/folder --server http://127.0.0.1:2 --token-file @/token',
      'the file "@/folder" cannot be read: a folder is where a file has to be',
      2,
    ],
    [
      'history --server http://127.0.0.1:2 --token-file @/none',
      '--token-file "@/none" cannot be read: a file or folder is missing',
      2,
    ],
  ])('says in words what is in the way: %s', async (line, said, code = 1) => {
    const folder = tempDir()
    mkdirSync(join(folder, 'folder'))
    writeFileSync(join(folder, 'file'), '')
    writeFileSync(join(folder, 'token'), 'a token')

    const ended = await command(line.replaceAll('@', folder).split(' '))

    const stderr = `cairn: ${said.replaceAll('@', folder)}\n`
    expect(ended).toEqual({ code, stdout: '', stderr })
  })

  it('explains its commands, and one with its settings', async () => {
    const [all, one, none] = await Promise.all([run(['help']), run(['import', '--help']), run([])])

    expect([all.code, one.code, none.code]).toEqual([0, 0, 2])
    expect(all.stdout).toContain('import        Reads the configuration history')
    expect(one.stdout).toMatch(/^cairn import REPO\n[^]*--since +CAIRN_SINCE/)
    expect(one.stdout).not.toContain('--oidc-issuer')
    expect(none.stderr).toContain('give a command: serve, agent')
  })

  it('prints no password of a setting that it refuses', { tags: ['long'] }, async () => {
    const address = 'postgres://u:hush@/db?host=/run/postgresql'
    const refused = await Promise.all([
      run(['serve', '--state', address]),
      run(['serve'], { env: { CAIRN_STATE: address } }),
      run(['serve', '--config-repo', 'r', address]),
      run([address]),
    ])

    for (const { code, stdout, stderr } of refused) {
      expect(code).toBe(2)
      expect(stdout + stderr).not.toContain('hush')
    }
    expect(refused[0].stderr).toMatch(/^cairn: --state "postgres:/)
  })
})
