import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { freePort } from '../programs/free-port.ts'
import { until } from '../programs/until.ts'

const SCHEMAS = ['core', 'cosine', 'nis', 'inetorgperson']
const PORTS_TRIED = 5

const READ_BY_READER = 'access to * by dn.exact="cn=reader,dc=example,dc=org" read by * none'
/** A policy by which everybody may read, and passwords are taken by TLS alone. */
export const BIND_BY_TLS = 'access to * by * read\nsecurity simple_bind=128'

/** Certificates of an authority of the test, and of a server that it has signed. */
export interface TestAuthority {
  readonly ca: string
  readonly certificate: string
  readonly key: string
}

/** Debian's slapd on loopback, with the entries of a test. */
export class DirectoryServer implements AsyncDisposable {
  readonly #configuration: string
  #child: ChildProcess | null = null
  #ports: readonly [number, number] = [0, 0]

  private constructor(configuration: string) {
    this.#configuration = configuration
  }

  static async start(
    folder: string,
    entries: string,
    tls: TestAuthority,
    policy = READ_BY_READER,
  ): Promise<DirectoryServer> {
    const data = join(folder, 'data')
    mkdirSync(data)
    const [configuration, ldif] = [join(folder, 'slapd.conf'), join(folder, 'entries.ldif')]
    writeFileSync(configuration, configurationFor(folder, { data, tls, policy }))
    writeFileSync(ldif, entries)
    execFileSync('slapadd', ['-q', '-f', configuration, '-l', ldif], { stdio: 'pipe' })
    const server = new DirectoryServer(configuration)
    await server.#startOnFreePorts()
    return server
  }

  get port(): number {
    return this.#ports[0]
  }

  get url(): string {
    return `ldap://localhost:${this.#ports[0]}`
  }

  get secureUrl(): string {
    return `ldaps://localhost:${this.#ports[1]}`
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child === null) return
    this.#child = null
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }

  async startAgain(): Promise<void> {
    if (!(await this.#serve())) throw new Error('slapd did not start again')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** Another process may take a port that was free. */
  async #startOnFreePorts(): Promise<void> {
    for (let tried = 0; tried < PORTS_TRIED; tried += 1) {
      this.#ports = [await freePort(), await freePort()]
      if (await this.#serve()) return
    }
    throw new Error('slapd did not start')
  }

  /** Whether it has started; it says so, or ends. */
  async #serve(): Promise<boolean> {
    const [plain, secure] = this.#ports
    const addresses = `ldap://127.0.0.1:${plain} ldaps://127.0.0.1:${secure}`
    const child = spawn('slapd', ['-d', 'none', '-f', this.#configuration, '-h', addresses], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    for await (const line of createInterface(child.stderr)) {
      if (!line.includes('slapd starting')) continue
      this.#child = child
      child.stderr.resume()
      // It says so a moment before it accepts connections.
      for (const port of this.#ports) await until(() => accepts(port))
      return true
    }
    return false
  }
}

function configurationFor(
  folder: string,
  { data, tls, policy }: { data: string; tls: TestAuthority; policy: string },
): string {
  return `${SCHEMAS.map((name) => `include /etc/ldap/schema/${name}.schema`).join('\n')}
pidfile ${join(folder, 'slapd.pid')}
modulepath /usr/lib/ldap
moduleload back_mdb
allow bind_anon_dn
TLSCACertificateFile ${tls.ca}
TLSCertificateFile ${tls.certificate}
TLSCertificateKeyFile ${tls.key}
database mdb
suffix "dc=example,dc=org"
directory ${data}
dbnosync
access to attrs=userPassword by anonymous auth by * none
${policy}
`
}

/** An authority, and a certificate of it for `localhost`. */
export function makeAuthority(folder: string): TestAuthority {
  const file = (name: string) => join(folder, name)
  const newKey = ['-newkey', 'rsa:2048', '-nodes']
  const authority = ['-keyout', file('ca.key'), '-out', file('ca.pem')]
  openssl('req', '-x509', ...newKey, ...authority, '-subj', '/CN=An authority', '-days', '2')
  const request = ['-keyout', file('server.key'), '-out', file('server.csr')]
  openssl('req', ...newKey, ...request, '-subj', '/CN=localhost')
  writeFileSync(file('names'), 'subjectAltName=DNS:localhost\n')
  const signer = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2']
  const signed = ['-in', file('server.csr'), '-out', file('server.pem'), '-extfile', file('names')]
  openssl('x509', '-req', ...signer, ...signed)
  return { ca: file('ca.pem'), certificate: file('server.pem'), key: file('server.key') }
}

/** Whether a process listens on a port of this machine. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' })
}
