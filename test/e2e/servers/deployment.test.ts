import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readSettings } from '../../../src/settings/read-settings.ts'
import { SETTINGS } from '../../../src/settings/settings.ts'
import { wrongInKubernetesObjects } from '../../support/programs/kubernetes-objects.ts'
import { imageVariables } from '../../support/programs/image.ts'
import { deployed } from '../../support/programs/root-file.ts'
import { readTypedYaml, readYaml } from '../../support/programs/yaml-document.ts'

const Words = z.array(z.string())
const Memory = z.string().regex(/^\d+[mg]$/)
const Network = z.object({ ipv4_address: z.string(), aliases: Words.optional() }).nullable()

/** A container of several servers: limits, and either an image or a way to build it. */
const Container = z.strictObject({
  build: z.strictObject({ context: z.literal('..'), dockerfile: z.string() }).optional(),
  image: z
    .string()
    .regex(/^[\w-]+:[\w.-]+$/)
    .optional(),
  user: z.string().optional(),
  entrypoint: Words.optional(),
  read_only: z.literal('true'),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  mem_limit: Memory,
  memswap_limit: Memory,
  shm_size: Memory.optional(),
  pids_limit: z.string().regex(/^\d+$/),
  tmpfs: Words,
  volumes: Words,
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  networks: z.union([Words, z.record(z.string(), Network)]).default([]),
  network_mode: z.literal('none').optional(),
  ports: Words.default([]),
  sysctls: z.record(z.string(), z.string()).optional(),
  healthcheck: z.record(z.string(), z.unknown()).optional(),
  stop_grace_period: z.string().optional(),
  restart: z.literal('unless-stopped').optional(),
})
const Compose = z.object({
  services: z.record(z.string(), Container),
  networks: z.record(z.string(), z.object({ internal: z.string() }).partial().nullable()),
  volumes: z.record(z.string(), z.null()),
})

function networksOf({ networks }: z.output<typeof Container>): readonly string[] {
  return Array.isArray(networks) ? networks : Object.keys(networks)
}

function readCompose() {
  const compose = Compose.parse(readYaml(deployed('compose-servers.yaml')))
  const having = (test: (service: z.output<typeof Container>) => boolean) =>
    Object.entries(compose.services).flatMap(([name, service]) => (test(service) ? [name] : []))
  const members = (network: string) => having((service) => networksOf(service).includes(network))
  const mounting = (volume: string) =>
    having(({ volumes }) => volumes.some((mount) => mount.startsWith(`${volume}:`)))
  return { ...compose, members, mounting, having }
}

/** The variables of a container, with values for those that an operator sets. */
function filledIn(environment: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(environment).map(([name, value]) => {
    const filled = value.replaceAll(/\$\{(\w+):[-?](.*?)\}/g, (_, key: string, fallback: string) =>
      key === 'DATABASE_PASSWORD' ? 'word' : fallback,
    )
    return [name, filled] as const
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

describe('deploy/compose-servers.yaml', () => {
  it('has two servers that differ in their address and their own volume alone', () => {
    const { services, mounting } = readCompose()
    const [first, second] = [services['server-1'], services['server-2']]

    const advertise = { CAIRN_ADVERTISE: expect.stringMatching(/^http:\/\/[\d.]+:8153$/) }
    expect(second?.environment).toEqual({ ...first?.environment, ...advertise })
    expect(second?.environment).not.toEqual(first?.environment)
    expect(mounting('shared')).toEqual(['server-1', 'server-2'])
    expect([mounting('server-1'), mounting('server-2')]).toEqual([['server-1'], ['server-2']])
    for (const server of [first, second]) {
      const settings = readSettings(SETTINGS.serve, [], filledIn(server?.environment ?? {}))
      expect(settings.state).toBe('postgres://cairn:word@database/cairn')
      expect(settings['secret-keys']).toMatch(/^\/var\/lib\/cairn-shared\//)
      expect(settings['artifacts-dir']).toMatch(/^\/var\/lib\/cairn-shared\//)
      expect(settings['users-file']).toBeNull()
    }
    expect(deployed('Dockerfile')).toMatch(/install .*-o node .*\/var\/lib\/cairn-shared\b/)
  })

  it('shows the database to the servers alone, and the servers to the proxy', () => {
    const { services, networks, members, having } = readCompose()

    expect(members('database')).toEqual(['database', 'server-1', 'server-2'])
    expect(members('inside')).toEqual(['server-1', 'server-2', 'proxy'])
    expect([networks['database'], networks['inside']]).toEqual([
      expect.objectContaining({ internal: 'true' }),
      expect.objectContaining({ internal: 'true' }),
    ])
    expect(having(({ ports }) => ports.length > 0)).toEqual(['proxy'])
    const addresses = members('inside').map(
      (name) =>
        z.object({ inside: z.object({ ipv4_address: z.string() }) }).parse(services[name]?.networks)
          .inside.ipv4_address,
    )
    for (const name of ['server-1', 'server-2']) {
      const { CAIRN_TRUSTED_PROXIES: trusted, CAIRN_ADVERTISE: advertised = '' } =
        services[name]?.environment ?? {}
      expect(trusted?.split(',').toSorted()).toEqual(addresses.toSorted())
      expect(new URL(advertised).hostname).toBe(addresses[members('inside').indexOf(name)])
    }
  })

  it('has a proxy that knows both servers by the name that its image has', () => {
    const { services } = readCompose()
    const aliases = ['server-1', 'server-2'].map(
      (name) =>
        z
          .object({ inside: z.object({ aliases: Words, ipv4_address: z.string() }) })
          .parse(services[name]?.networks).inside,
    )

    expect(aliases.map((inside) => inside.aliases)).toEqual([['server'], ['server']])
    expect(new Set(aliases.map(({ ipv4_address: address }) => address)).size).toBe(2)
    expect(deployed('proxy.Dockerfile')).toContain('/server:8153/')
    expect(Object.keys(services['proxy']?.depends_on ?? {})).toEqual(
      expect.arrayContaining(['server-1', 'server-2']),
    )
  })

  it('bounds every container, and names every volume that is mounted', () => {
    const { services, volumes } = readCompose()

    for (const [name, service] of Object.entries(services)) {
      const mounts = service.volumes.map((mount) => mount.split(':')[0] ?? '')
      expect([name, service.memswap_limit]).toEqual([name, service.mem_limit])
      expect([name, mounts.filter((volume) => !(volume in volumes))]).toEqual([name, []])
      expect([name, (service.build === undefined) !== (service.image === undefined)]).toEqual([
        name,
        true,
      ])
    }
  })
})

const Named = z.object({ name: z.string() })
const NameAndValue = z.strictObject({ name: z.string(), value: z.string() })
const PodAddress = z.strictObject({
  name: z.string(),
  valueFrom: z.strictObject({
    fieldRef: z.strictObject({ fieldPath: z.literal('status.podIP') }),
  }),
})
const Probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith('/health/'), port: z.literal('http') }),
  periodSeconds: z.string().optional(),
  timeoutSeconds: z.string().optional(),
  failureThreshold: z.string().optional(),
})
const Server = z.strictObject({
  name: z.string(),
  image: z.string(),
  ports: z.tuple([z.strictObject({ name: z.literal('http'), containerPort: z.literal('8153') })]),
  envFrom: z.tuple([z.strictObject({ secretRef: Named })]),
  env: z.tuple([PodAddress], NameAndValue),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
  resources: z.strictObject({
    requests: z.record(z.string(), z.string()),
    limits: z.object({ memory: z.string() }),
  }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal('false'),
    readOnlyRootFilesystem: z.literal('true'),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(
    z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.string().optional() }),
  ),
})
const Labels = z.record(z.string(), z.string())
const StatefulSet = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('StatefulSet'),
  metadata: Named,
  spec: z.strictObject({
    serviceName: z.string(),
    replicas: z.string(),
    podManagementPolicy: z.literal('Parallel'),
    selector: z.strictObject({ matchLabels: Labels }),
    template: z.strictObject({
      metadata: z.strictObject({ labels: Labels }),
      spec: z.strictObject({
        automountServiceAccountToken: z.literal('false'),
        enableServiceLinks: z.literal('false'),
        terminationGracePeriodSeconds: z.string(),
        affinity: z.object({ podAntiAffinity: z.unknown() }),
        securityContext: z.object({ runAsNonRoot: z.literal('true'), runAsUser: z.string() }),
        containers: z.tuple([Server]),
        volumes: z.array(Named.loose()),
      }),
    }),
    volumeClaimTemplates: z.array(z.object({ metadata: Named, spec: z.unknown() })),
  }),
})
const Anything = z.object({
  apiVersion: z.enum(['v1', 'apps/v1']),
  kind: z.string(),
  metadata: Named,
  stringData: Labels.optional(),
  spec: z.unknown().optional(),
})
const Service = z.object({
  spec: z.object({
    selector: Labels,
    ports: z.tuple([z.object({ targetPort: z.literal('http') })]),
  }),
})

const MANIFESTS = deployed('kubernetes.yaml').split(/^---$/m)

function readManifests() {
  const documents = MANIFESTS.map(readYaml)
  const all = documents.map((document) => Anything.parse(document))
  const named = (kind: string) =>
    all.flatMap(({ kind: own, metadata }) => (own === kind ? [metadata.name] : []))
  const set = StatefulSet.parse(documents.find((_, at) => all[at]?.kind === 'StatefulSet'))
  const services = documents.filter((_, at) => all[at]?.kind === 'Service')
  return { all, named, set, services: services.map((service) => Service.parse(service)) }
}

describe('deploy/kubernetes.yaml', () => {
  it('has what its parts refer to', () => {
    const { named, set, services } = readManifests()
    const { template, volumeClaimTemplates, serviceName, selector } = set.spec
    const [server] = template.spec.containers
    const volumes = [
      ...template.spec.volumes.map(({ name }) => name),
      ...volumeClaimTemplates.map(({ metadata }) => metadata.name),
    ]
    const Sources = z.object({
      secret: z.object({ secretName: z.string() }).optional(),
      persistentVolumeClaim: z.object({ claimName: z.string() }).optional(),
    })
    const sources = template.spec.volumes.map((volume) => Sources.parse(volume))

    expect(named('Service')).toContain(serviceName)
    expect(template.metadata.labels).toEqual(selector.matchLabels)
    for (const { spec } of services) expect(spec.selector).toEqual(selector.matchLabels)
    expect(server.volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted())
    expect(named('Secret')).toEqual([
      server.envFrom[0].secretRef.name,
      ...sources.flatMap(({ secret }) => secret?.secretName ?? []),
    ])
    expect(named('PersistentVolumeClaim')).toEqual(
      sources.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []),
    )
  })

  it('gives the servers settings that they take, in folders that are mounted', () => {
    const { all, set } = readManifests()
    const [server] = set.spec.template.spec.containers
    const secret = all.find(({ metadata }) => metadata.name === server.envFrom[0].secretRef.name)
    const [address, ...given] = server.env
    const environment = Object.fromEntries(
      given.map(({ name, value }) => [name, value.replace(`$(${address.name})`, '10.1.2.3')]),
    )
    const settings = readSettings(SETTINGS.serve, [], { ...secret?.stringData, ...environment })
    const mounted = server.volumeMounts.map(({ mountPath }) => mountPath)

    expect(settings.state).toMatch(/^postgres:/)
    for (const place of [settings['secret-keys'], settings['artifacts-dir'], '/var/lib/cairn/']) {
      expect(mounted.some((path) => `${place}/`.startsWith(`${path}/`))).toBe(true)
    }
    const image = imageVariables()
    expect(readSettings(SETTINGS.serve, [], image)['config-repo']).toMatch(/^\/var\/lib\/cairn\//)
    expect(readSettings(SETTINGS.serve, [], image)['state-dir']).toMatch(/^\/var\/lib\/cairn\//)
  })

  it(
    'has the fields of the Kubernetes API, each with a value of its type',
    { tags: ['long'] },
    () => {
      const wrong = MANIFESTS.map((text) =>
        text
          .replace('readOnlyRootFilesystem', 'readOnlyRoot')
          .replace('port: 80\n', "port: '80'\n"),
      )

      expect(wrongInKubernetesObjects(MANIFESTS.map(readTypedYaml))).toBe('')
      const complaints = wrongInKubernetesObjects(wrong.map(readTypedYaml))
      expect(complaints).toContain(`'"readOnlyRoot"' does not exist in type 'SecurityContext'`)
      expect(complaints).toContain("'string' is not assignable to type 'number'")
    },
  )

  it('has whole numbers where numbers are meant', () => {
    const { set } = readManifests()

    expect(Number(set.spec.replicas)).toBeGreaterThan(1)
    expect(Number(set.spec.template.spec.terminationGracePeriodSeconds)).toBeGreaterThan(30)
  })
})
