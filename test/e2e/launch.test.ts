import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git } from '../support/git/git.ts'
import { run, start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const READY = /^cairn ready (http:\/\/\S+)\n$/

async function get(url: string, password: string): Promise<Response> {
  const credentials = Buffer.from(`admin:${password}`).toString('base64')
  return fetch(url, { headers: { authorization: `Basic ${credentials}` } })
}

describe('cairn serve', () => {
  it('starts in an empty folder: a first configuration, user admin, one ready line', async () => {
    const cwd = tempDir()
    const program = start(['serve', '--port', '0'], { cwd })

    const url = await program.line(READY)
    const passwordFile = join(cwd, 'state/admin.password')
    const password = readFileSync(passwordFile, 'utf8').trim()
    const response = await get(`${url}/api/admin/config.xml`, password)

    expect(response.status).toBe(200)
    expect(await response.text()).toBe(git(join(cwd, 'config-repo'), 'show', 'HEAD:config.xml'))
    expect(git(join(cwd, 'config-repo'), 'log', '--format=%an')).toBe('Upgrade\n')
    expect(program.stderr).toContain(`the password of user admin is in ${passwordFile}\n`)
    expect(program.stderr).not.toContain(password)
    expect(statSync(passwordFile).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(cwd, 'state/users.htpasswd'), 'utf8')).toMatch(/^admin:\$2[aby]\$10\$/)
  })

  it('takes its settings from the environment, a flag first', { tags: ['long'] }, async () => {
    const env = { CAIRN_PORT: '0', CAIRN_BASE_PATH: '/other', CAIRN_ADMIN_PASSWORD: 'chosen here' }
    const program = start(['serve', '--base-path', '/go/'], { cwd: tempDir(), env })

    const url = await program.line(READY)

    expect(new URL(url).pathname).toBe('/go')
    expect((await get(`${url}/api/config/revisions`, 'chosen here')).status).toBe(200)
    expect(program.stderr).not.toContain('chosen here')
  })

  it(
    'prints nothing but its log, ends with 0 on SIGTERM, and starts again on what it left',
    { tags: ['long'] },
    async () => {
      const cwd = tempDir()
      const env = { CAIRN_ADMIN_PASSWORD: 'a password', CAIRN_PORT: '0' }
      const first = start(['serve'], { cwd, env })
      await first.line(READY)
      first.process.kill('SIGTERM')
      const { code, stderr } = await first.ended()
      expect(code).toBe(0)
      expect(stderr.split('\n').filter((line) => !/^(?:\{.*\})?$/.test(line))).toEqual([])

      const url = await start(['serve'], { cwd, env }).line(READY)

      const revisions: unknown = await (
        await get(`${url}/api/config/revisions`, 'a password')
      ).json()
      expect(revisions).toHaveLength(1)
    },
  )

  it.each([
    [['--port', 'high'], '--port "high" is not a port'],
    [['--log-level', 'loud'], '--log-level "loud" is neither info nor debug'],
    [['--colour', 'blue'], "Unknown option '--colour'"],
    [['--agent-timeout', '999ms'], '--agent-timeout "999ms" is less than 1s'],
  ])('ends with 2 and one line for %j', async (flags, line) => {
    const { code, stdout, stderr } = await run(['serve', ...flags], { cwd: tempDir() })

    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `cairn: ${line}\n` })
  })

  it(
    'refuses a repository that another process serves, naming it',
    { tags: ['long'] },
    async () => {
      const cwd = tempDir()
      const first = start(['serve', '--port', '0'], { cwd })
      await first.line(READY)

      const { code, stderr } = await run(['serve', '--port', '0'], { cwd })

      expect(code).toBe(1)
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(stderr).toContain(String(first.process.pid))
    },
  )

  it('refuses an address that is taken with one line', { tags: ['long'] }, async () => {
    const first = start(['serve', '--port', '0'], { cwd: tempDir() })
    const { port } = new URL(await first.line(READY))

    const { code, stderr } = await run(
      ['serve', '--port', port, '--admin-password', 'a password'],
      {
        cwd: tempDir(),
      },
    )

    expect(code).toBe(1)
    expect(stderr).toBe(`cairn: 127.0.0.1:${port}: another program listens there\n`)
  })

  it('runs any subcommand from the checkout through npx', { tags: ['long'] }, () => {
    const version = execFileSync('npx', ['--no-install', 'cairn', 'version'], { encoding: 'utf8' })

    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('cairn user', () => {
  it('adds, lists and removes users without showing a password', async () => {
    const cwd = tempDir()

    const added = await run(['user', 'add', 'ana'], { cwd, input: 'hunter2 and more\n' })
    const again = await run(['user', 'add', 'ana'], { cwd, input: 'hunter3 and more\n' })
    const listed = await run(['user', 'list'], { cwd })
    const removed = await run(['user', 'remove', 'ana'], { cwd })
    const missing = await run(['user', 'passwd', 'ana'], { cwd, input: 'hunter3 and more\n' })

    expect([added, again, listed, removed, missing].map(({ code }) => code)).toEqual([
      0, 1, 0, 0, 1,
    ])
    expect(listed.stdout).toBe('ana\n')
  })
})
