import { execFileSync, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { element, exec } from '../support/documents/a-configuration.ts'
import { AgentProtocolServer } from '../support/agents/agent-protocol-server.ts'
import { anAssignment, sh } from '../support/builds/an-assignment.ts'
import { callOver, type CertificateFiles, OUTSIDE, startNginx } from '../support/programs/nginx.ts'
import { RealBuilds } from '../support/builds/real-builds.ts'
import { deployed, rootFile } from '../support/programs/root-file.ts'
import { mayMount } from '../support/disk/small-disk.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'
import { readYaml } from '../support/programs/yaml-document.ts'

const Words = z.array(z.string())
const Service = z.object({
  build: z.object({ dockerfile: z.string() }),
  read_only: z.literal('true'),
  cap_drop: z.tuple([z.literal('ALL')]),
  cap_add: Words.default([]),
  user: z.string().optional(),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  mem_limit: z.string().regex(/^\d+[mg]$/),
  memswap_limit: z.string(),
  pids_limit: z.string().regex(/^\d+$/),
  tmpfs: z.array(z.string()),
  volumes: z.array(z.string()),
  command: Words.optional(),
  entrypoint: Words.optional(),
  environment: z.record(z.string(), z.string()).default({}),
  ports: Words.default([]),
  networks: z.union([Words, z.record(z.string(), z.unknown())]).default([]),
})
const Compose = z.object({
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.object({ internal: z.string() }).partial().nullable()),
  volumes: z.record(z.string(), z.null()),
})

/** The file, and the members of each network. */
function readCompose() {
  const { services, networks, volumes } = Compose.parse(readYaml(deployed('compose.yaml')))
  const members = (network: string) =>
    Object.entries(services).flatMap(([name, service]) => {
      const joined = Array.isArray(service.networks)
        ? service.networks
        : Object.keys(service.networks)
      return joined.includes(network) ? [name] : []
    })
  return { services, networks, volumes, members }
}

describe('deploy/compose.yaml', () => {
  it('bounds every container, and lets it write only where it has to', () => {
    const { services, volumes } = readCompose()

    expect(Object.keys(services)).toEqual(['certificate', 'server', 'proxy', 'agent-1', 'agent-2'])
    for (const [name, service] of Object.entries(services)) {
      const mounts = service.volumes.map((mount) => mount.split(':')[0])
      expect([name, service.memswap_limit]).toEqual([name, service.mem_limit])
      expect(service.tmpfs.some((mount) => mount.startsWith('/tmp:'))).toBe(true)
      expect(mounts.filter((volume = '') => !(volume in volumes))).toEqual([])
      expect(existsSync(rootFile(service.build.dockerfile))).toBe(true)
    }
    for (const name of ['agent-1', 'agent-2']) {
      expect(services[name]?.volumes).toEqual([`${name}:/work`, 'trust:/etc/cairn/trust:ro'])
    }
  })

  it('has root and capabilities for the agents alone, whose jobs have neither', () => {
    const { services } = readCompose()

    const powerful = Object.entries(services).flatMap(([name, { user, cap_add, command = [] }]) =>
      user === undefined && cap_add.length === 0 ? [] : [[name, user, ...command.slice(-2)]],
    )
    expect(powerful).toEqual([
      ['agent-1', 'root', '--job-user', 'cairn-job'],
      ['agent-2', 'root', '--job-user', 'cairn-job'],
    ])
  })

  it.skipIf(!mayMount())(
    'has agents whose jobs run with what they are given, and nothing else',
    { timeout: 60_000, tags: ['util-linux'] },
    async () => {
      await using server = await AgentProtocolServer.start()
      const work = join(tempDir(), 'work')
      startContained(work, server.url)
      const escape = `(env -i setsid sh -c 'echo $$ >daemon; sleep 300; :' </dev/null >/dev/null 2>&1 &)`
      const program = `printf '#!/bin/sh\necho ran\n' >/tmp/program; chmod +x /tmp/program; /tmp/program`
      const own = 'id -un; id -Gn; grep CapPrm /proc/self/status; echo kept >~/file; cat ~/file'
      const before = server.assign(
        anAssignment({
          tasks: [sh(`${escape}; until [ -s daemon ]; do sleep 0.01; done; ${own}; ${program}`)],
        }),
      )
      await until(() => before.result !== null, 30_000)
      const look = 'kill -0 $(cat daemon) || echo ended; cat /mnt/identity.json || echo shut'
      const after = server.assign(anAssignment({ tasks: [sh(`${look}; rm daemon`)] }))
      await until(() => after.result !== null, 30_000)

      expect(before.result === 'Passed' ? '' : before.text).toBe('')
      expect(before.written).toEqual([
        'cairn-job',
        'cairn-job',
        expect.stringMatching(/^CapPrm:\s0+$/),
        'kept',
        'ran',
      ])
      expect(after.result).toBe('Passed')
      expect(after.written).toEqual(expect.arrayContaining(['ended', 'shut']))
    },
  )

  it('has plain HTTP between proxy and server alone', () => {
    const { services, networks, members } = readCompose()

    expect(networks['inside']?.internal).toBe('true')
    expect(members('inside')).toEqual(['server', 'proxy'])
    expect(members('materials')).toEqual(['server'])
    expect(members('outside')).toEqual(['proxy', 'agent-1', 'agent-2'])
    const published = Object.entries(services).filter(([, { ports }]) => ports.length > 0)
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
      ['proxy', ['127.0.0.1:8443:443']],
    ])
    const proxy = z.object({ inside: z.object({ ipv4_address: z.string() }) })
    expect(services['server']?.environment['CAIRN_TRUSTED_PROXIES']).toBe(
      proxy.parse(services['proxy']?.networks).inside.ipv4_address,
    )
    for (const agent of [services['agent-1'], services['agent-2']]) {
      expect(agent?.command).toContain('https://proxy')
    }
  })

  it('keeps the keys from everybody but those who need them', () => {
    const { services } = readCompose()
    const having = (volume: string) =>
      Object.keys(services).filter((name) =>
        services[name]?.volumes.some((mount) => mount.startsWith(`${volume}:`)),
      )

    expect(having('authority')).toEqual(['certificate'])
    expect(having('tls')).toEqual(['certificate', 'proxy'])
    expect(services['proxy']?.volumes).toContain('tls:/etc/cairn/tls:ro')
  })

  it(
    'has agents build over TLS with a server that its authority vouches for',
    { timeout: 120_000, tags: ['long', 'nginx', 'openssl'] },
    async () => {
      const folder = tempDir()
      const { services } = readCompose()
      const real = await RealBuilds.open()
      const files = makeCertificate(folder, services['certificate']?.entrypoint ?? [])
      const site = proxySite(folder)
      const main = deployed('proxy.conf')
        .replaceAll('/tmp/', `${folder}/`)
        .replace('/etc/nginx/cairn.conf', 'site.conf')
      const nginx = await startNginx(folder, real.url, { site, main, files })
      const server = ['--server', `https://localhost:${nginx.port}`]
      const large = exec('sh', '-c', 'head -c 3000000 /dev/zero > large.bin')
      const artifacts = [element('artifact', { src: 'large.bin' })]
      const jobs = [{ tasks: [large], artifacts }]
      await real.scene.configure({ pipelines: [{ name: 'app', stages: [{ jobs }] }] })

      const doubting = real.agent('doubting', server)
      await until(() => /certificate/i.test(doubting.stdout + doubting.stderr), 60_000)
      real.agent('believing', server, { NODE_EXTRA_CA_CERTS: files.ca })
      await real.scene.schedule()
      await until(async () => (await real.scene.stage()).result === 'Passed', 60_000)
      const agents = await (await real.scene.get('/api/agents')).text()
      const kept = await real.scene.get('/files/app/1/build/1/unit/large.bin')
      const numbers = await callOver(nginx, '/health', { from: OUTSIDE })

      expect((await kept.arrayBuffer()).byteLength).toBe(3_000_000)
      expect(agents).toContain('believing')
      expect(agents).not.toContain('doubting')
      expect(numbers.status).toBe(403)
      expect(site).not.toContain('10.0.0.0/8')
    },
  )

  it('keeps its certificate until it ends or is for other names', { tags: ['openssl'] }, () => {
    const folder = tempDir()
    const certificate = () =>
      readFileSync(makeCertificate(folder, ['', '', 'localhost']).certificate)
    const authority = join(folder, 'trust/ca.pem')

    const [first, again] = [certificate(), certificate()]
    const signed = readFileSync(authority)
    const { certificate: other } = makeCertificate(folder, ['', '', 'localhost', 'https://a.b:1/c'])
    const alternatives = new X509Certificate(readFileSync(other)).subjectAltName

    expect(again).toEqual(first)
    expect(alternatives).toBe('DNS:localhost, DNS:a.b')
    expect(readFileSync(authority)).toEqual(signed)
    expect(statSync(join(folder, 'tls/cairn.key')).mode & 0o777).toBe(0o600)
  })
})

/** Runs what the service of that entrypoint runs, with a folder of its own. */
function makeCertificate(folder: string, [, , ...names]: readonly string[]): CertificateFiles {
  const given = names.map((name) => name.replace(/^\$\{\w+:-(.*)\}$/, '$1'))
  execFileSync('sh', [rootFile('deploy/make-certificate.sh'), folder, ...given])
  const at = (name: string) => join(folder, name)
  return { key: at('tls/cairn.key'), certificate: at('tls/cairn.pem'), ca: at('trust/ca.pem') }
}

/**
 * Starts the first agent as an engine would: users of the image, a root that is read-only, processes
 * of its own, memory where the file wants it, and the capabilities that are left. The volume is at
 * `/mnt` and the program at `/opt`, because the folders of the file need not be here.
 */
function startContained(work: string, server: string): void {
  const agent = readCompose().services['agent-1']
  const users = usersOfImage()
  mkdirSync(work, { mode: 0o711 })
  const mounts = (agent?.tmpfs ?? []).map((mount) => {
    const [path = '', options = ''] = mount.split(':')
    return `mount -t tmpfs -o ${options},nosuid,nodev tmpfs ${path}`
  })
  const script = [
    ...['passwd', 'group'].map((name) => `mount --bind ${users}/etc/${name} /etc/${name}`),
    `mount --bind ${rootFile('.')} /opt`,
    `mount --bind ${work} /mnt`,
    'mount -o remount,bind,ro /opt',
    'mount -o remount,bind,ro /',
    ...mounts,
    'cd /',
    // The shell stays, and takes care of orphans as the image's init does.
    '"$@"; exit',
  ]
  const kept = (agent?.cap_add ?? []).map((name) => `+${name.toLowerCase()}`)
  const only = ['setpriv', '--no-new-privs', `--bounding-set=-all,${kept.join(',')}`]
  const command = (agent?.command ?? []).map((word) =>
    word.replace('https://proxy', server).replace('/work', '/mnt'),
  )
  const line = [...only, process.execPath, '/opt/dist/main.js', ...command]
  const apart = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  const child = spawn('unshare', [...apart, 'sh', '-ec', script.join('\n'), 'sh', ...line], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
}

/** A folder whose `etc` has the users that the Dockerfile adds to those of its base. */
function usersOfImage(): string {
  const folder = tempDir()
  mkdirSync(join(folder, 'etc'))
  for (const name of ['passwd', 'group']) cpSync(`/etc/${name}`, join(folder, 'etc', name))
  const [, options = ''] = /^RUN useradd (.*)$/m.exec(deployed('Dockerfile')) ?? []
  execFileSync('useradd', ['--prefix', folder, ...options.split(' ')], { stdio: 'pipe' })
  return folder
}

/** `nginx.conf` as the image of the proxy has it. */
function proxySite(folder: string): string {
  const file = join(folder, 'cairn.conf')
  cpSync(rootFile('deploy/nginx.conf'), file)
  const [, edit = ''] = /^RUN (sed .*)$/m.exec(deployed('proxy.Dockerfile')) ?? []
  execFileSync('sh', ['-ec', edit.replace('/etc/nginx/cairn.conf', file)])
  return readFileSync(file, 'utf8')
}
