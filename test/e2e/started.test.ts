// @module-tag long
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mayMount } from '../support/disk/small-disk.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { imageCommand, imageVariables } from '../support/programs/image.ts'
import { type Machine, Network } from '../support/programs/machines.ts'
import { deployed } from '../support/programs/root-file.ts'
import { until } from '../support/programs/until.ts'
import { readYaml } from '../support/programs/yaml-document.ts'

const Words = z.array(z.string())
const Variables = z.record(z.string(), z.string())
const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      command: Words.optional(),
      entrypoint: Words.optional(),
      environment: Variables.default({}),
    }),
  ),
})
const Pod = z.object({
  env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
  livenessProbe: z.object({ httpGet: z.object({ path: z.string() }) }),
  readinessProbe: z.object({ httpGet: z.object({ path: z.string() }) }),
})
const Manifest = z.object({
  kind: z.string(),
  stringData: Variables.optional(),
  spec: z.unknown().optional(),
})
const Template = z.object({
  template: z.object({ spec: z.object({ containers: z.tuple([Pod]) }) }),
})

const TIMEOUT_MS = 30_000
const GIVEN: Readonly<Record<string, string>> = {
  CAIRN_AUTO_REGISTER_KEY: 'a key for agents',
  CAIRN_ADMIN_PASSWORD: 'word',
  DATABASE_PASSWORD: 'word',
}

/** The command of the image, at the address that an engine gives the container. */
function imageAt(address: string) {
  const args = imageCommand().map((word) => word.replace('0.0.0.0', address))
  return { args, environment: imageVariables() }
}

/** The services of a file for containers, with the variables that an operator has set. */
function servicesOf(name: string) {
  const text = deployed(name).replaceAll(
    /\$\{(\w+):[-?](.*?)\}/g,
    (_, key: string, preset: string) => GIVEN[key] ?? preset,
  )
  return Compose.parse(readYaml(text)).services
}

function knowing(machine: Machine, hosts: Readonly<Record<string, string>>): Promise<string> {
  const lines = Object.entries(hosts).map(([name, address]) => `${address} ${name}`)
  return machine.run(`cat >> /etc/hosts <<END\n${lines.join('\n')}\nEND`)
}

/** Makes the volumes of a container that are not its own folder below `/var/lib`. */
function mounting(machine: Machine, folder: string): Promise<string> {
  return machine.run(
    `install -d -o nobody /srv/${folder} /var/lib/cairn && ln -s /srv/${folder} /var/lib/${folder}`,
  )
}

async function started(machine: Machine, name: string): Promise<void> {
  await expect.poll(() => machine.log(name), { timeout: TIMEOUT_MS }).toContain('cairn ready ')
}

/** The proxy of both files, with the certificate that their first container makes. */
async function startProxy(
  machine: Machine,
  address: string,
  entrypoint: readonly string[] = [],
): Promise<void> {
  const [, folder = '', ...names] = entrypoint
  const [, edit = ''] = /^RUN (sed .*)$/m.exec(deployed('proxy.Dockerfile')) ?? []
  await machine.run(`
    sh deploy/make-certificate.sh /srv${folder} ${names.join(' ')}
    mkdir -p /etc/cairn && ln -s /srv${folder}/tls /srv${folder}/trust /etc/cairn/
    cp deploy/nginx.conf /etc/nginx/cairn.conf && ${edit}
    sed -i 's/^  proxy_http_version/  proxy_bind ${address};\\n&/' /etc/nginx/cairn.conf
    cp deploy/proxy.conf /etc/nginx/proxy.conf
    setsid nginx -c /etc/nginx/proxy.conf -e stderr > /var/lib/services/proxy.log 2>&1 < /dev/null &
    echo $! >> /var/lib/services/started`)
}

const THROUGH_PROXY = 'curl -fsS --cacert /etc/cairn/trust/ca.pem'

describe.skipIf(!mayMount())('what deploy/ has', () => {
  it(
    'starts as compose.yaml says: a server, the proxy and agents that build',
    { timeout: 120_000, tags: ['curl', 'nginx', 'openssl', 'util-linux'] },
    async () => {
      const network = await Network.open(['10.153.81.2', '10.153.81.3'])
      const machine = network.machine()
      const services = servicesOf('compose.yaml')
      const image = imageAt('10.153.81.2')
      await knowing(machine, { server: '10.153.81.2', proxy: '10.153.81.3' })
      await mounting(machine, 'unused')
      const [, users = ''] = /^RUN (useradd .*)$/m.exec(deployed('Dockerfile')) ?? []
      await machine.run(`${users} && chown nobody /var/lib/cairn`)

      const { server } = services
      const environment = { ...image.environment, ...server?.environment }
      await machine.start('server', { ...image, environment })
      await started(machine, 'server')
      await startProxy(machine, '10.153.81.3', services['certificate']?.entrypoint)
      const list = `${THROUGH_PROXY} -u admin:word https://localhost/api/agents || true`
      const idle = async () => (await machine.run(list)).split('"Idle"').length - 1
      for (const [at, name] of ['agent-1', 'agent-2'].entries()) {
        const { command = [], environment: own = {} } = services[name] ?? {}
        const args = command.map((word) => (word === '/work' ? `/srv/${name}` : word))
        await machine.start(name, { args, environment: own, user: 'root' })
        await expect.poll(idle, { timeout: TIMEOUT_MS }).toBe(at + 1)
        // Both have the same user for jobs, which one network has once.
        await machine.run('kill -- -$(tail -n 1 /var/lib/services/started)')
      }
      const audit = `${THROUGH_PROXY} -u admin:word -X POST https://localhost/api/agents/x/enable || true
        curl -fsS -u admin:word http://10.153.81.2:8153/api/audit?limit=1`
      expect(await machine.run(audit)).toContain('"address":"127.0.0.1"')
    },
  )

  it(
    'starts as compose-servers.yaml says: two servers that the proxy knows',
    { timeout: 120_000, tags: ['curl', 'nginx', 'openssl', 'postgresql', 'util-linux'] },
    async () => {
      const addresses = ['10.153.82.2', '10.153.82.3', '10.153.82.4', '10.153.82.5']
      const network = await Network.open(addresses)
      const [shared, services] = [tempDir(), servicesOf('compose-servers.yaml')]
      const database = network.machine()
      await database.installDatabase('cairn')
      const servers = []
      for (const [at, name] of ['server-1', 'server-2'].entries()) {
        const machine = network.machine({ shared })
        const image = imageAt(`10.153.82.${at + 3}`)
        await knowing(machine, { database: '10.153.82.5' })
        await mounting(machine, 'cairn-shared')
        await machine.run('chown nobody /var/lib/cairn')
        const environment = { ...image.environment, ...services[name]?.environment }
        await machine.start(name, { ...image, environment })
        await started(machine, name)
        servers.push(machine)
      }
      await knowing(database, { server: '10.153.82.3' })
      await knowing(database, { server: '10.153.82.4' })
      await startProxy(database, '10.153.82.2', services['certificate']?.entrypoint)
      const health = () => database.run(`${THROUGH_PROXY} https://localhost/health/ready || true`)

      await expect.poll(health, { timeout: TIMEOUT_MS }).toContain('"status":"ok"')
      await until(async () => {
        const seen = await database.run('curl -fsS -u admin:word http://10.153.82.4:8153/health')
        return addresses.slice(1, 3).every((address) => seen.includes(`http://${address}:8153`))
      }, TIMEOUT_MS)
    },
  )

  it(
    'starts as kubernetes.yaml says, also among the variables that Kubernetes gives containers',
    { timeout: 120_000, tags: ['curl', 'openssl', 'postgresql', 'util-linux'] },
    async () => {
      const network = await Network.open(['10.244.0.2', '10.244.0.3', '10.244.0.9'])
      const documents = deployed('kubernetes.yaml').split(/^---$/m)
      const manifests = documents.map((text) => Manifest.parse(readYaml(text)))
      const secrets = manifests.map(({ stringData = {} }) => stringData)
      const set = manifests.find(({ kind }) => kind === 'StatefulSet')
      const [pod] = Template.parse(set?.spec).template.spec.containers
      const [, makeKey = ''] = /`(openssl rand [^`]*)`/.exec(documents.join('')) ?? []
      const key = execFileSync('sh', ['-c', makeKey], { encoding: 'utf8' })
      const database = network.machine()
      await database.installDatabase('cairn')
      const links = {
        CAIRN_PORT: 'tcp://10.96.0.7:80',
        CAIRN_PORT_80_TCP: 'tcp://10.96.0.7:80',
        CAIRN_SERVICE_HOST: '10.96.0.7',
        CAIRN_SERVICE_PORT: '80',
      }
      const shared = tempDir()
      const addresses = ['10.244.0.2', '10.244.0.3']

      const pods = await Promise.all(
        addresses.map(async (address) => {
          const machine = network.machine({ shared })
          const image = imageAt(address)
          await knowing(machine, { 'database.example.org': '10.244.0.9' })
          await mounting(machine, 'cairn-artifacts')
          mkdirSync(machine.path('/etc/cairn/keys'), { recursive: true })
          writeFileSync(join(machine.path('/etc/cairn/keys'), 'secret.keys'), key)
          await machine.run(
            'chown nobody /var/lib/cairn; cd /etc/cairn; chgrp -R nogroup .; chmod 440 keys/secret.keys',
          )
          const own = pod.env.map(({ name, value = address }) => [
            name,
            value.replace('$(POD_IP)', address),
          ])
          const environment = { ...image.environment, ...secrets[0], ...Object.fromEntries(own) }
          await machine.start('server', { ...image, environment: { ...links, ...environment } })
          return machine
        }),
      )
      for (const machine of pods) await started(machine, 'server')
      const probes = [pod.livenessProbe, pod.readinessProbe].flatMap(({ httpGet }) =>
        addresses.map((address) => `curl -fsS http://${address}:8153${httpGet.path}`),
      )
      await database.run(probes.join('\n'))
      const refused = addresses.map(
        (address) =>
          `curl -sS --retry 5 -o /dev/null -w '%{http_code} ' -u 'admin:change me' -H 'X-Forwarded-For: 203.0.113.9' -X POST http://${address}:8153/api/agents/x/enable`,
      )
      expect(await database.run(refused.join('\n'))).toBe('404 404 ')
      const audit = await database.run(
        "curl -fsS -u 'admin:change me' 'http://10.244.0.2:8153/api/audit?action=enable-agent'",
      )

      expect(audit.match(/"address":"[^"]*"/g)).toEqual([
        '"address":"203.0.113.9"',
        '"address":"203.0.113.9"',
      ])
    },
  )
})
