import { describe, expect, it } from 'vitest'
import { readSettings } from '../../../src/settings/read-settings.ts'
import { SETTINGS } from '../../../src/settings/settings.ts'

function foldersOf(args: readonly string[], environment: Record<string, string>) {
  return readSettings(SETTINGS.serve, args, environment)['local-materials']
}

function quotaOf(args: readonly string[]) {
  return readSettings(SETTINGS.serve, args, {})['max-artifacts']
}

function advertisedBy(...args: readonly string[]) {
  return readSettings(SETTINGS.serve, args, {}).advertise
}

function trusted(given: string) {
  return readSettings(SETTINGS.serve, ['--trusted-proxies', given], {})['trusted-proxies']
}

function validFor(given: string) {
  return readSettings(SETTINGS['agent invite'], ['--valid-for', given], {})['valid-for']
}

describe('readSettings', () => {
  it('takes folders of local materials by flags, or by the variable as PATH has them', () => {
    const flags = ['--local-materials', '/a', '--local-materials', '/b:c']
    const environment = { CAIRN_LOCAL_MATERIALS: '/d:/e' }

    expect(foldersOf(flags, environment)).toEqual(['/a', '/b:c'])
    expect(foldersOf([], environment)).toEqual(['/d', '/e'])
    expect(foldersOf([], {})).toEqual([])
  })

  it('takes the addresses of several servers, by flags or in one variable', () => {
    const work = ['--work-dir', 'w']
    const of = (args: readonly string[], environment: Record<string, string> = {}) =>
      readSettings(SETTINGS.agent, [...work, ...args], environment).server

    expect(of(['--server', 'http://a:1', '--server', 'http://b:2'])).toEqual([
      'http://a:1',
      'http://b:2',
    ])
    expect(of([], { CAIRN_SERVER: 'http://a:1, http://b:2' })).toEqual(['http://a:1', 'http://b:2'])
    expect(() => of(['--server', 'http://a:1', '--server', 'b'])).toThrow(
      /^--server .*is not a URL$/,
    )
    expect(() => of([])).toThrow('--server is missing')
  })

  it('takes the address by which other servers reach this one', () => {
    expect(advertisedBy()).toBeNull()
    expect(advertisedBy('--advertise', 'http://cairn-1:8153')).toBe('http://cairn-1:8153')
    expect(() => advertisedBy('--advertise', 'cairn-1')).toThrow(
      '--advertise "cairn-1" is not a URL',
    )
  })

  it.each([
    ['state', 'postgres://u:hush@/db?host=/run/postgresql'],
    ['state', 'postgres://u:hush@host:port/db'],
    ['state', 'postgres://u:hu/hush@host/db'],
    ['state', 'postgres://u:hush%@host/db'],
    ['state', 'postgres://u:hu@hush@host/db'],
    ['state', 'u:hush@host/db'],
    ['state', 'host=db user=u password=hush'],
    ['state', 'mysql://host/db?user=u&password=hush'],
    ['public-url', 'https://u:hush@host/'],
    ['advertise', 'ftp://u:hush@host'],
    ['oidc-issuer', 'https://hush@host/'],
    ['ldap-url', 'ldaps://u:hush@one,ldaps://u:hush@two'],
    ['poll-interval', 'https://u:hush@host'],
  ])('refuses --%s %s without its password', (name, value) => {
    const given = { [`CAIRN_${name.toUpperCase().replace('-', '_')}`]: value }

    for (const read of [
      () => readSettings(SETTINGS.serve, [`--${name}`, value], {}),
      () => readSettings(SETTINGS.serve, [], given),
    ]) {
      expect(read).toThrow(new RegExp(`^--${name} "`))
      expect(read).not.toThrow(/hush/)
    }
  })

  it('takes the addresses of proxies, separated by commas', () => {
    expect(trusted('')).toEqual([])
    expect(trusted('127.0.0.1, ::1,')).toEqual(['127.0.0.1', '::1'])
  })

  it('takes sizes of disks, which may be larger than memory', () => {
    expect(quotaOf([])).toBeNull()
    expect(quotaOf(['--max-artifacts', '10GiB'])).toBe(10 * 2 ** 30)
    expect(quotaOf(['--max-artifacts', '1.5TiB'])).toBe(1.5 * 2 ** 40)
  })

  it('has a default for everything that serve needs', () => {
    const settings = readSettings(SETTINGS.serve, [], {})

    expect(settings).toMatchObject({
      host: '127.0.0.1',
      port: 8153,
      'base-path': '',
      'config-repo': './config-repo',
      'config-file': 'config.xml',
      'state-dir': './state',
      'poll-interval': 5_000,
      'agent-timeout': 300_000,
      'client-names': 'neutral',
    })
  })

  it('prefers the flag to the variable, and the variable to the default', () => {
    const environment = { CAIRN_PORT: '1000', CAIRN_HOST: '::1' }

    const settings = readSettings(SETTINGS.serve, ['--port', '2000'], environment)

    expect(settings).toMatchObject({ port: 2_000, host: '::1' })
  })

  it('ignores the addresses of services that an orchestrator puts among the variables', () => {
    const links = {
      CAIRN_PORT: 'tcp://10.96.0.7:80',
      CAIRN_PORT_80_TCP: 'tcp://10.96.0.7:80',
      CAIRN_PORT_80_TCP_ADDR: '10.96.0.7',
      CAIRN_SERVICE_HOST: '10.96.0.7',
      CAIRN_SERVICE_PORT: '80',
      CAIRN_SERVICE_PORT_HTTP: '80',
    }

    expect(readSettings(SETTINGS.serve, [], links)).toEqual(readSettings(SETTINGS.serve, [], {}))
    expect(readSettings(SETTINGS.serve, ['--port', '2000'], links).port).toBe(2_000)
    for (const port of ['tcp://10.96.0.7:80', 'udp://[fd00::7]:80', 'sctp://10.96.0.7:80'])
      expect(readSettings(SETTINGS.serve, [], { CAIRN_PORT: port }).port).toBe(8_153)
    expect(() => readSettings(SETTINGS.serve, [], { CAIRN_PORT: 'http://x' })).toThrow(
      '--port "http://x" is not a port',
    )
  })

  it.each([
    ['/go', '/go'],
    ['/go/', '/go'],
    ['/', ''],
    ['/a/b', '/a/b'],
  ])('takes the base path %s as %s', (given, taken) => {
    expect(readSettings(SETTINGS.serve, ['--base-path', given], {})['base-path']).toBe(taken)
  })

  it.each([
    [['--port', 'abc'], '--port "abc" is not a port'],
    [['--host', 'http://x'], '--host "http://x" is not an address or a host name'],
    [['--host', ''], '--host "" is not an address or a host name'],
    [['--port', '65536'], '--port "65536" is not a port'],
    [['--poll-interval', '5'], '--poll-interval "5" is not a duration such as 5s'],
    [['--poll-interval', '600h'], '--poll-interval "600h" is more than 2000000s, which is 23 days'],
    [['--max-body', '3GiB'], '--max-body "3GiB" is more than 2000000000 bytes, which is 1.8GiB'],
    [
      ['--config-file', '../x.xml'],
      '--config-file "../x.xml" is not the name of a file in the repository',
    ],
    [['--agent-timeout', '999ms'], '--agent-timeout "999ms" is less than 1s'],
    [['--max-artifacts', '10GB'], '--max-artifacts "10GB" is not a size such as 10GiB'],
    [['--client-names', 'both'], '--client-names "both" is neither neutral nor gocd'],
    [['--base-path', 'go'], '--base-path "go" is not a path such as /go'],
    [
      ['--oidc-issuer', 'https://id.example', '--oidc-client-id', 'cairn'],
      '--public-url is needed by --oidc-issuer',
    ],
    [['--oidc-roles-claim', 'groups'], '--oidc-issuer is needed by --oidc-roles-claim'],
    [
      ['--oidc-issuer', 'http://id.example'],
      '--oidc-issuer "http://id.example" is not an address with https',
    ],
    [['--ldap-url', 'ldaps://a.example'], '--ldap-user-base is needed by --ldap-url'],
    [
      ['--ldap-url', 'ldap://a.example', '--ldap-user-base', 'dc=example'],
      '--ldap-url "ldap://a.example" needs ldaps: or --ldap-start-tls',
    ],
    [
      ['--ldap-url', 'ldaps://a.example', '--ldap-user-base', 'dc=a', '--ldap-start-tls'],
      '--ldap-url "ldaps://a.example" has TLS of its own, without --ldap-start-tls',
    ],
    [
      ['--ldap-url', 'https://a.example'],
      '--ldap-url "https://a.example" is not an address such as ldaps://directory.example.org',
    ],
    [
      ['--ldap-user-filter', '(uid=user)'],
      '--ldap-user-filter "(uid=user)" is not a filter with a part such as (uid={user})',
    ],
    ...[
      '1.2.3',
      'proxy.example.org',
      '127.0.0.1,::1,1.2.3',
      '10.0.0.0/33',
      '::/129',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0.0/-1',
      '10.0/8',
      '/8',
    ].map((given): [string[], string] => [
      ['--trusted-proxies', given],
      `--trusted-proxies "${given}" is not an IP address such as 127.0.0.1`,
    ]),
    [['--nonsense'], "Unknown option '--nonsense'"],
    [['word'], "Unexpected argument 'word'"],
  ])('refuses %j with one clear line', (args, line) => {
    expect(() => readSettings(SETTINGS.serve, args, {})).toThrow(line)
  })

  it.each([
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['2026-02-28T10:30', '2026-02-28T10:30:00.000Z'],
    ['2026-02-28T10:30:05.5+02:00', '2026-02-28T08:30:05.500Z'],
  ])('takes the time %s for %s', (given, taken) => {
    const { before } = readSettings(SETTINGS.archive, ['--before', given], {})

    expect(new Date(before ?? 0).toISOString()).toBe(taken)
  })

  it.each(['2026-02-30', '2026-02-29T10:00Z', '2026-02', '2026-02-28T10', 'yesterday'])(
    'refuses the time %s',
    (given) => {
      expect(() => readSettings(SETTINGS.archive, ['--before', given], {})).toThrow(
        `--before "${given}" is not a date such as 2015-12-01 or a time such as 2015-12-01T14:00Z`,
      )
    },
  )

  it('takes invitations for up to 30 days, and says so of what is longer', () => {
    expect(validFor('720h')).toBe(30 * 24 * 3_600_000)
    expect(() => validFor('800h')).toThrow('--valid-for "800h" is more than 720h, which is 30 days')
    expect(() => validFor('30d')).toThrow('--valid-for "30d" is not a duration such as 5s')
  })

  it('names every bad value at once', () => {
    const args = ['--port', 'x', '--agent-timeout', 'y']

    expect(() => readSettings(SETTINGS.serve, args, {})).toThrow(/--port "x".*--agent-timeout "y"/)
  })
})
