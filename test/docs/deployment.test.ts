// @module-tag long

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mayMount } from '../support/disk/small-disk.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { INSTALL_DATABASE, type Machine, Network } from '../support/programs/machines.ts'
import { deployed } from '../support/programs/root-file.ts'
import { until } from '../support/programs/until.ts'

const PASSWORD_FILE = '/var/lib/cairn/state/admin.password'

/** The examples of a section, up to the next heading of any level. */
function examplesOf(heading: string): readonly string[] {
  const [, section = ''] = deployed('README.md').split(`\n${heading}\n`)
  const [own = ''] = section.split(/^#+ /m)
  return [...own.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script = '']) => script)
}

/** Waits until the service of a machine listens. */
async function listening(machine: Machine): Promise<void> {
  await expect.poll(() => machine.log('cairn'), { timeout: 30_000 }).toContain('cairn ready ')
}

describe.skipIf(!mayMount())('deploy/README.md', () => {
  it(
    'installs the service and an agent on a machine of systemd',
    { timeout: 120_000, tags: ['bash', 'curl', 'util-linux'] },
    async () => {
      const machine = (await Network.open()).machine()
      const [install = '', first = '', commands = '', agent = '', ...others] =
        examplesOf('## systemd')

      await machine.run(install)
      const started = await machine.run(first)
      const password = started.trim().split('\n').at(-1) ?? ''
      const listed = await machine.run(commands)
      await machine.run(agent)
      const call = `curl -fsS -u 'admin:${password}' http://127.0.0.1:8153/api/agents`
      await until(async () => (await machine.run(call)).includes('Pending'), 30_000)
      const asAna =
        "curl -fsS -u 'ana:a password that nobody else has' http://127.0.0.1:8153/api/agents"
      await until(async () => (await machine.run(`${asAna} || true`)).includes('Pending'))

      expect(others).toEqual([])
      expect(started).toContain('cairn ready http://127.0.0.1:8153')
      expect(password).toMatch(/^\S{10,}$/)
      expect(listed).toMatch(/^ana\b/m)
      expect(statSync(machine.path('/var/lib/cairn')).mode & 0o777).toBe(0o700)
      expect(statSync(machine.path('/etc/cairn/agent.env')).mode & 0o777).toBe(0o600)
    },
  )

  it(
    'makes two servers of a database, a shared folder and nginx by hand',
    { timeout: 180_000, tags: ['bash', 'curl', 'nginx', 'openssl', 'postgresql', 'util-linux'] },
    async () => {
      const network = await Network.open(['10.0.0.10', '10.0.0.11', '10.0.0.12'])
      const shared = tempDir()
      const database = network.machine()
      const [one, two] = [network.machine({ shared }), network.machine({ shared })]
      const [install = ''] = examplesOf('## systemd')
      const [create = '', , joining = '', balance = '', ...others] = examplesOf(
        '### When one machine is not enough',
      )

      await database.run(`${INSTALL_DATABASE}\nsystemctl restart postgresql`)
      const created = await database.run(create, { PGHOST: '/tmp' })
      const env = { DATABASE_PASSWORD: created.trim().split('\n').at(-1) ?? '' }
      for (const machine of [one, two]) await machine.run(install)
      await one.run(joining, env)
      await listening(one)
      await two.run(joining.replace('address=10.0.0.11', 'address=10.0.0.12'), env)
      await listening(two)
      await database.run('sh deploy/make-certificate.sh /etc/cairn cairn.example.org')
      await database.run(balance)
      const password = readFileSync(one.path(PASSWORD_FILE), 'utf8').trim()
      const known = '--cacert /etc/cairn/trust/ca.pem --resolve cairn.example.org:443:127.0.0.1'
      const read = `curl -fsS ${known} -u 'admin:${password}' https://cairn.example.org/health`
      const health = () => database.run(`${read} || true`)
      await until(async () => (await health()).includes('http://10.0.0.12:8153'), 30_000)

      expect(others).toEqual([])
      expect(await health()).toContain('http://10.0.0.11:8153')
      expect(existsSync(two.path(PASSWORD_FILE))).toBe(false)
      expect(existsSync(one.path('/srv/cairn/secret.keys'))).toBe(true)
    },
  )

  it(
    'moves the state of a single server into a database',
    { timeout: 120_000, tags: ['bash', 'postgresql', 'util-linux'] },
    async () => {
      const machine = (await Network.open()).machine()
      const [install = '', first = ''] = examplesOf('## systemd')
      const [move = '', ...others] = examplesOf('## State in PostgreSQL')
      await machine.run(`${install}\n${first}`)
      machine.endAll()
      await machine.installDatabase('cairn')
      await machine.run('echo 127.0.0.1 host >> /etc/hosts')

      const moved = await machine.run(`cd /var/lib/cairn\n${move}`)

      expect(others).toEqual([])
      expect(moved).toContain('The database is made of state/state.sqlite\n')
    },
  )

  it(
    'makes a single server the first of several, with all that it has',
    { timeout: 120_000, tags: ['bash', 'curl', 'postgresql', 'util-linux'] },
    async () => {
      const network = await Network.open(['10.0.0.10', '10.0.0.11'])
      const [database, single] = [network.machine(), network.machine()]
      const [install = '', first = '', users = ''] = examplesOf('## systemd')
      const [, move = '', joining = ''] = examplesOf('### When one machine is not enough')
      await database.installDatabase('cairn')
      await single.run(install)
      await single.run(
        'mkdir /etc/cairn && echo "CAIRN_CLIENT_NAMES=\'gocd\'" > /etc/cairn/cairn.env',
      )
      await single.run(first)
      await single.run(users)
      const state = single.path('/var/lib/cairn/state')
      const keys = readFileSync(join(state, 'secret.keys'), 'utf8')
      writeFileSync(join(state, 'artifacts', 'kept'), 'a console')

      await single.run(move, { DATABASE_PASSWORD: 'any' })
      await single.run(joining, { DATABASE_PASSWORD: 'any' })
      const asAna = "curl -fsS -D - -u 'ana:a password that nobody else has' http://10.0.0.11:8153/"
      await until(async () => (await single.run(`${asAna}health || true`)).includes('10.0.0.11'))

      expect(await single.run(`${asAna}api/admin/config.xml`)).toContain('x-cruise-config-md5')
      expect(readFileSync(single.path('/srv/cairn/secret.keys'), 'utf8')).toBe(keys)
      expect(existsSync(single.path('/srv/cairn/artifacts/kept'))).toBe(true)
    },
  )

  it(
    'has commands for containers that name what there is',
    { timeout: 60_000, tags: ['bash', 'openssl', 'util-linux'] },
    async () => {
      const machine = (await Network.open()).machine()
      const scripts = [...examplesOf('## Containers'), ...examplesOf('### Several servers')]

      const calls = (await machine.run(scripts.join('\n'))).trim().split('\n')
      const inside = calls.flatMap((call) => {
        const [, file = '', service = ''] = /^docker compose -f (\S+) exec (\S+)/.exec(call) ?? []
        return file === '' ? [] : [{ file: file.replace('deploy/', ''), service }]
      })

      expect(calls.filter((call) => call.endsWith(' up --build --detach'))).toHaveLength(2)
      expect(calls).toContain('kubectl apply --namespace cairn -f deploy/kubernetes.yaml')
      expect(inside.map(({ service }) => service)).toEqual(['server', 'server', 'server-1'])
      for (const { file, service } of inside)
        expect(deployed(file)).toMatch(new RegExp(`^  ${service}:`, 'm'))
    },
  )
})
