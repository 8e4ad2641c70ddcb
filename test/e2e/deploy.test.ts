// @module-tag long
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { readSettings } from '../../src/settings/read-settings.ts'
import { SETTINGS } from '../../src/settings/settings.ts'
import { documentWith } from '../support/documents/documents.ts'
import { imageCommand, imageVariables } from '../support/programs/image.ts'
import { callOver, type Nginx, OUTSIDE, startNginx } from '../support/programs/nginx.ts'
import { BASIC } from '../support/http/raw-http.ts'
import { deployed, rootFile } from '../support/programs/root-file.ts'
import { startService } from '../support/service/service.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

const UNITS = ['cairn.service', 'cairn-agent@.service']
const CHECK = 'cairn-check.service'
const Words = z.array(z.string())
/** The installed packages; those for the build and the tests alone are marked. */
const Lock = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean().default(false) })),
})

/** Fails when a command line has a flag or a value that the program does not take. */
function assertTaken([subcommand, ...args]: readonly string[], environment = {}): void {
  if (subcommand === 'serve') readSettings(SETTINGS.serve, args, environment)
  else if (subcommand === 'agent') readSettings(SETTINGS.agent, args, environment)
  else throw new Error(`${subcommand} is not meant to be deployed`)
}

/** The answer to these bytes over a connection that is then left as it is. */
async function sentOver({ port, ca }: Nginx, bytes: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' })
  socket.write(bytes)
  let text = ''
  for await (const part of socket.setEncoding('utf8')) text += String(part)
  return text
}

/** The file with times and numbers that a test can reach. */
function shorterSite(): string {
  return deployed('nginx.conf')
    .replace(/client_header_timeout \d+s/, 'client_header_timeout 1s')
    .replace(/client_body_timeout \d+s/, 'client_body_timeout 2s')
    .replace(/(limit_conn \w+) \d+/, '$1 2')
}

describe('deploy/nginx.conf', () => {
  it(
    'puts TLS in front of the service, forms, ids and addresses included',
    { timeout: 60_000, tags: ['nginx', 'openssl'] },
    async () => {
      const service = await startService(['--trusted-proxies', '127.0.0.1'])
      const nginx = await startNginx(tempDir(), service.url)
      const origin = `https://localhost:${nginx.port}`
      const headers = { authorization: BASIC }
      const current = await callOver(nginx, '/api/admin/config.xml', { headers })
      const saved = await callOver(nginx, '/api/admin/config.xml', {
        method: 'PUT',
        headers: { ...headers, 'if-match': '*' },
        body: documentWith('over-tls'),
      })
      const large = await callOver(nginx, '/api/admin/config.xml', {
        method: 'PUT',
        headers: { ...headers, 'if-match': '*' },
        body: `<a>${'x'.repeat(3_000_000)}</a>`,
      })
      const form = { method: 'POST', body: 'colours=blue-orange&back=/config' }
      const own = await callOver(nginx, '/colours', { ...form, headers: { ...headers, origin } })
      const forged = await callOver(nginx, '/colours', {
        ...form,
        headers: { ...headers, origin: 'https://localhost' },
      })
      const plain = await fetch(`http://127.0.0.1:${nginx.plainPort}/config?q=1`, {
        redirect: 'manual',
        headers: { host: 'localhost' },
      })
      const audit = await callOver(nginx, '/api/audit?action=save-configuration', { headers })

      expect(current.headers['x-service-config-md5']).toMatch(/^[0-9a-f]{32}$/)
      expect(current.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
      expect([saved.status, large.status]).toEqual([200, 422])
      expect([own.status, forged.status]).toEqual([303, 403])
      expect(plain.status).toBe(301)
      expect(plain.headers.get('location')).toMatch(/^https:.*\/config\?q=1$/)
      expect(AuditBody.parse(JSON.parse(audit.body)).entries.at(-1)).toMatchObject({
        address: '127.0.0.1',
        request: saved.headers['x-request-id'],
      })
    },
  )

  it(
    'shuts numbers and problems to the outside, however they are spelled',
    { timeout: 60_000, tags: ['nginx', 'openssl'] },
    async () => {
      const service = await startService()
      const nginx = await startNginx(tempDir(), service.url)
      const spelled = ['/health', '/health/', '//health', '/%68ealth', '/x/../health', '/health?a']
      const shut = [...spelled, '/health%2f', '/metrics', '/metrics//', '/./metrics']
      const headers = { authorization: BASIC }
      const statusFrom = async (from: string, path: string) =>
        (await callOver(nginx, path, { from, headers })).status

      const outside = await Promise.all(shut.map((path) => statusFrom(OUTSIDE, path)))
      const probes = ['/health/live', '/health/ready', '/config'].map((path) =>
        statusFrom(OUTSIDE, path),
      )
      const editor = await callOver(nginx, '/config/edit', { from: OUTSIDE, headers })
      const [, alive = ''] = /data-alive="([^"]*)"/.exec(editor.body) ?? []
      const inside = ['/health', '/metrics'].map((path) => statusFrom('127.0.0.1', path))

      expect(outside).toEqual(shut.map(() => 403))
      expect(await Promise.all(probes)).toEqual([200, 200, 200])
      expect(await statusFrom(OUTSIDE, alive)).toBe(200)
      expect(await Promise.all(inside)).toEqual([200, 200])
    },
  )

  it(
    'answers 429 to an address that floods, not to others nor to agents beside it',
    { timeout: 120_000, tags: ['nginx', 'openssl'] },
    async () => {
      const service = await startService()
      const nginx = await startNginx(tempDir(), service.url)
      const agent = new Agent({ keepAlive: true, maxSockets: 8 })
      onTestFinished(() => agent.destroy())
      const flood = (path: string, calls: number) =>
        Promise.all(
          Array.from({ length: calls }, () => callOver(nginx, path, { from: OUTSIDE, agent })),
        ).then((answers) => answers.map(({ status }) => status))

      const page = await flood('/health/live', 100)
      await until(async () => (await flood('/health/live', 200)).includes(429), 30_000)
      const beside = await flood('/api/agents-protocol/a1/work', 50)
      const other = await callOver(nginx, '/health/live', { from: '127.0.0.3' })

      expect(page).toEqual(page.map(() => 200))
      expect(beside).not.toContain(429)
      expect(other.status).toBe(200)
    },
  )

  it(
    'ends what does not go on, and bounds the connections of an address',
    { timeout: 60_000, tags: ['nginx', 'openssl'] },
    async () => {
      const service = await startService()
      const nginx = await startNginx(tempDir(), service.url, { site: shorterSite() })
      const upload = `PUT /api/admin/config.xml HTTP/1.1\r\nhost: localhost\r\nauthorization: ${BASIC}\r\nif-match: *\r\ncontent-length: 9\r\n\r\n<a>`

      const [heads, bodies] = [
        [sentOver(nginx, 'GET / HTTP/1.1\r\nhost: lo')],
        [1, 2].map(() => sentOver(nginx, upload)),
      ]
      await until(async () => (await callOver(nginx, '/health/live')).status === 429)
      const ended = await Promise.all([...heads, ...bodies])

      // What is cut off gets no answer.
      expect(ended).toEqual(['', '', ''])
    },
  )

  it('is believed about addresses only where it is told to be', async () => {
    const trusting = await startService(['--trusted-proxies', '127.0.0.1'])
    const doubting = await startService()
    const headers = { 'x-forwarded-for': '1.2.3.4, 203.0.113.9' }

    const addresses: (string | undefined)[] = []
    for (const service of [trusting, doubting]) {
      await service.fetch('/api/agents/x/enable', { method: 'POST', headers })
      const { entries } = AuditBody.parse(await (await service.fetch('/api/audit')).json())
      addresses.push(entries[0]?.address)
    }

    expect(addresses).toEqual(['203.0.113.9', '127.0.0.1'])
  })
})

describe('the units of systemd', () => {
  it.each(UNITS)('start commands that the program takes: %s', (name) => {
    const [, command = ''] = /^ExecStart=(.*)$/m.exec(deployed(name)) ?? []
    const [node, main = '', ...args] = command.replaceAll('%i', '1').split(' ')

    expect(node).toBe('/usr/bin/node')
    expect(main.startsWith('/opt/cairn/')).toBe(true)
    expect(existsSync(rootFile(main.slice('/opt/cairn/'.length)))).toBe(true)
    expect(() => assertTaken(args, { CAIRN_SERVER: 'http://x' })).not.toThrow()
  })

  it.each([...UNITS, CHECK])('are sound to systemd: %s', { tags: ['systemd'] }, (name) => {
    const folder = tempDir()
    const file = join(folder, name.replace('@', '@1'))
    const unit = deployed(name)
      .replace('/usr/bin/node', process.execPath)
      .replace(/^(User|Group)=.*$/gm, '$1=root')
      .replace('EnvironmentFile=/', 'EnvironmentFile=-/')
    writeFileSync(file, unit)

    const { stderr, stdout } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    })
    const about = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => line.includes(name.split('@')[0] ?? ''))

    expect(about).toEqual([])
  })

  it.each(UNITS)('bound memory and processes, and hide those of others: %s', (name) => {
    const unit = new Map(
      [...deployed(name).matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [
        key,
        value,
      ]),
    )

    expect(unit.get('MemoryMax')).toMatch(/^\d+[GM%]$/)
    expect(Number(unit.get('TasksMax'))).toBeGreaterThan(0)
    expect(unit.get('ProtectProc')).toBe('invisible')
  })

  it('let agents make control groups for their jobs', () => {
    const unit = deployed('cairn-agent@.service')

    expect(unit).toMatch(/^Delegate=yes$/m)
    expect(unit).not.toMatch(/^ProtectControlGroups=/m)
  })

  it('shut the service in', { tags: ['systemd'] }, () => {
    const file = join(tempDir(), 'cairn.service')
    writeFileSync(file, deployed('cairn.service'))

    const flags = ['security', '--offline=true', '--no-pager', '--threshold=17', file]
    const { status, stdout } = spawnSync('systemd-analyze', flags, { encoding: 'utf8' })

    expect(stdout).toMatch(/exposure level/)
    expect(status).toBe(0)
  })
})

/** Runs the stages of the Dockerfile, each in a folder, without a container engine. */
function buildImage(): { folder: string; main: string } {
  const [build = '', final = ''] = deployed('Dockerfile')
    .split(/^FROM .*$/m)
    .slice(1)
  const [source, image] = [join(tempDir(), 'build'), join(tempDir(), 'image')]
  for (const folder of [source, image]) mkdirSync(folder)
  // What an earlier check of the types has left saves a part of this one, and goes into no image.
  if (existsSync(rootFile('.types'))) copyInto(source, { from: rootFile('.'), names: ['.types'] })
  for (const [, step, rest = ''] of build.matchAll(/^(COPY|RUN) (.*)$/gm)) {
    if (step === 'RUN') execFileSync('sh', ['-ec', rest], { cwd: source, stdio: 'pipe' })
    else copyInto(source, { from: rootFile('.'), names: rest.split(' ').slice(0, -1) })
  }
  const taken = [...final.matchAll(/^COPY --from=build \/opt\/cairn\/(\S+) \S+$/gm)]
  copyInto(image, { from: source, names: taken.map(([, name = '']) => name) })
  const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(final) ?? []
  const main = Words.parse(JSON.parse(entry)).at(-1) ?? ''
  return { folder: image, main: main.replace('/opt/cairn', image) }
}

function copyInto(
  folder: string,
  { from, names }: { readonly from: string; readonly names: readonly string[] },
): void {
  for (const name of names) {
    cpSync(join(from, name), join(folder, name), { recursive: true, verbatimSymlinks: true })
  }
}

describe('the files for containers', () => {
  it('copy what there is, and start commands that the program takes', () => {
    const dockerfile = deployed('Dockerfile')
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    )
    const command = imageCommand()

    expect(copied.length).toBeGreaterThan(3)
    expect(copied.filter((name) => !existsSync(rootFile(name)))).toEqual([])
    expect(dockerfile).toMatch(/^ENTRYPOINT .*"\/opt\/cairn\/dist\/main\.js"\]$/m)
    expect(() => assertTaken(command)).not.toThrow()
  })

  it('are pinned, run as a user without rights, and say whether the service is ready', async () => {
    const service = await startService(['--base-path', '/go'])
    const [, check = ''] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(deployed('Dockerfile')) ?? []
    const [program = '', ...args] = Words.parse(JSON.parse(check))
    const healthAt = async (environment: Record<string, string>) => {
      const child = spawn(program, args, { env: { PATH: process.env['PATH'], ...environment } })
      const [code]: unknown[] = await once(child, 'close')
      return code
    }
    const port = new URL(service.url).port

    for (const name of ['Dockerfile', 'proxy.Dockerfile']) {
      const bases = [...deployed(name).matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
      const users = [...deployed(name).matchAll(/^USER (\S+)$/gm)].map(([, user]) => user)
      expect(new Set(bases)).toEqual(new Set(['node:24.21.0-bookworm-slim']))
      expect(users).toEqual(['node'])
    }
    expect(await healthAt({ CAIRN_PORT: port, CAIRN_BASE_PATH: '/go' })).toBe(0)
    expect(await healthAt({ CAIRN_PORT: port, CAIRN_BASE_PATH: '/elsewhere' })).toBe(1)
  })

  it(
    'make a program that starts, without what only the build needs',
    { timeout: 300_000 },
    async () => {
      const { folder, main } = buildImage()
      const places = tempDir()
      const variables = Object.entries(imageVariables()).map(([name, value]) => [
        name,
        value.replace('/var/lib/cairn', places),
      ])
      const env: Record<string, string> = Object.fromEntries(variables)
      const args = [...imageCommand(), '--host', '127.0.0.1', '--port', '0']

      const program = start(args, { main, cwd: tempDir(), env })
      const url = await program.line(/^cairn ready (http:\/\/\S+)\n$/)

      expect((await fetch(`${url}/health/ready`)).status).toBe(200)
      const listed = spawnSync(join(folder, 'scripts/cairn.js'), ['user', 'list'], {
        env: { PATH: process.env['PATH'], ...env },
        encoding: 'utf8',
      })
      expect(listed).toMatchObject({ status: 0, stdout: expect.stringContaining('admin') })
      const { packages } = Lock.parse(
        JSON.parse(readFileSync(rootFile('package-lock.json'), 'utf8')),
      )
      const names = Object.keys(packages).filter((name) => packages[name]?.dev)
      expect(names).toContain('node_modules/typescript')
      expect(names.filter((name) => existsSync(join(folder, name)))).toEqual([])
    },
  )

  it('start a server and two agents', () => {
    const compose = deployed('compose.yaml')
    const commands = [...compose.matchAll(/^\s+command:\s*(\[[^\]]*\])/gm)].map(([, list = '']) =>
      Words.parse(JSON.parse(list.replaceAll("'", '"').replace(/,\s*\]$/, ']'))),
    )
    const known = ['serve', 'agent'].flatMap((name) =>
      Object.keys(name === 'serve' ? SETTINGS.serve.shape : SETTINGS.agent.shape),
    )
    const variables = [...compose.matchAll(/^\s+(CAIRN_[A-Z_]+):/gm)].map(([, name = '']) =>
      name.slice('CAIRN_'.length).toLowerCase().replaceAll('_', '-'),
    )

    expect(commands).toHaveLength(2)
    for (const command of commands) expect(() => assertTaken(command)).not.toThrow()
    expect(variables.filter((name) => !known.includes(name))).toEqual([])
    expect(compose).toContain('/health/ready')
  })
})

describe('deploy/README.md', () => {
  it('names files, settings and addresses that there are', { tags: ['bash'] }, async () => {
    const text = deployed('README.md')
    const files = [...text.matchAll(/\bdeploy\/[\w@.-]+\w/g)].map(([name]) => name)
    const shell = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script = '']) => script)
    const variables = [...text.matchAll(/CAIRN_([A-Z_]+)=/g)].map(([, name = '']) => name)
    const service = await startService()

    expect(files.filter((name) => !existsSync(rootFile(name)))).toEqual([])
    for (const script of shell) execFileSync('bash', ['-n', '-c', script])
    for (const name of variables.filter((each) => !each.endsWith('_'))) {
      const known = { ...SETTINGS.serve.shape, ...SETTINGS.agent.shape }
      expect([name, name.toLowerCase().replaceAll('_', '-') in known]).toEqual([name, true])
    }
    for (const path of ['/health/live', '/health/ready', '/health']) {
      expect(text).toContain(path)
      expect((await service.fetch(path, { as: null })).status).toBe(200)
    }
  })
})
