import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { type Agent, request } from 'node:https'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'
import { deployed } from './root-file.ts'
import { until } from './until.ts'

/** nginx with the file of `deploy/` in front of a service. */
export interface Nginx {
  readonly plainPort: number
  readonly port: number
  readonly ca: Buffer
}

/** A certificate for `localhost`, and the authority that callers are to believe. */
export interface CertificateFiles {
  readonly key: string
  readonly certificate: string
  readonly ca: string
}

/** An address of this machine that is no probe's: neither the loopback's own nor a private network's. */
export const OUTSIDE = '127.0.0.2'

/** Deviations of a test from `deploy/nginx.conf`. */
export interface NginxOptions {
  readonly site?: string
  readonly main?: string
  readonly files?: CertificateFiles
}

/**
 * Starts nginx with the documented file and waits until it answers; only ports and paths of the certificate are other
 * ones, and the servers are those at some addresses.
 */
export async function startNginx(
  folder: string,
  serviceUrls: string | readonly string[],
  options: NginxOptions = {},
): Promise<Nginx> {
  const [plainPort, port] = [await freePort(), await freePort()]
  const { main = MAIN, files = selfSigned(folder) } = options
  const hosts = [serviceUrls].flat().map((url) => new URL(url).host)
  const site = (options.site ?? deployed('nginx.conf'))
    .replace(/^ {2}server \S+:8153( .*;)$/m, (_, parameters: string) =>
      hosts.map((host) => `  server ${host}${parameters}`).join('\n'),
    )
    .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`)
    .replaceAll('cairn.example.org', 'localhost')
    .replace('/etc/cairn/tls/cairn.pem', files.certificate)
    .replace('/etc/cairn/tls/cairn.key', files.key)
  mkdirSync(join(folder, 'logs'))
  writeFileSync(join(folder, 'site.conf'), site)
  writeFileSync(join(folder, 'nginx.conf'), main)
  const flags = [
    '-p',
    folder,
    '-c',
    join(folder, 'nginx.conf'),
    '-e',
    join(folder, 'logs/error.log'),
  ]
  execFileSync('nginx', ['-t', '-q', ...flags], { stdio: 'pipe' })
  const child = spawn('nginx', flags, { stdio: 'ignore' })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'close')
  })
  const nginx = { plainPort, port, ca: readFileSync(files.ca) }
  await until(() =>
    callOver(nginx, '/health/ready').then(
      ({ status }) => status === 200,
      () => false,
    ),
  )
  return nginx
}

function selfSigned(folder: string): CertificateFiles {
  const [key, certificate] = [join(folder, 'cairn.key'), join(folder, 'cairn.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject], {
    stdio: 'ignore',
  })
  return { key, certificate, ca: certificate }
}

const MAIN = `daemon off;
pid nginx.pid;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  include site.conf;
}
`

export interface CallOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The address of this machine that the call comes from. */
  readonly from?: string
  /** Keeps connections open for more calls. */
  readonly agent?: Agent
}

/** One call over TLS; the certificate is checked. */
export function callOver(
  { port, ca }: Nginx,
  path: string,
  options: CallOptions = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  const { method = 'GET', headers = {}, body, from, agent = false } = options
  const place = { host: '127.0.0.1', servername: 'localhost', port, path }
  const sender = { localAddress: from, agent, ca }
  return new Promise((resolve, reject) => {
    const named = { host: `localhost:${port}`, ...headers }
    const call = request({ ...place, ...sender, method, headers: named })
    call.on('error', reject).on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
    })
    call.end(body)
  })
}
