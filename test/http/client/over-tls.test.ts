// @module-tag long
// @module-tag node
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, request } from 'node:http'
import { connect, type Server } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { makeAuthority, type TestAuthority } from '../../support/identities/directory-server.ts'
import { atEnd } from '../../support/programs/at-end.ts'
import { type Ended, Program } from '../../support/programs/program.ts'
import { ADMIN_PASSWORD, startService } from '../../support/service/service.ts'

/** Whether `NODE_USE_ENV_PROXY` has `fetch` ask a proxy. */
const OBEYS_PROXY = process.allowedNodeEnvironmentFlags.has('--use-env-proxy')
/** The host is known to nobody but the proxy. */
const UNKNOWN_HOST = { code: 3, asked: [], printed: '' }

/** The port on which a server listens until the test ends. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It has no port')
  return address.port
}

/** TLS in front of a service, as a reverse proxy does it. */
function inFrontOf(port: number, { certificate, key }: TestAuthority): Server {
  const files = { cert: readFileSync(certificate), key: readFileSync(key) }
  return createTlsServer(files, (client) => {
    const service = connect(port, '127.0.0.1')
    client.on('error', () => service.destroy())
    service.on('error', () => client.destroy())
    client.pipe(service).pipe(client)
  })
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

function history(server: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const file = join(tempDir(), 'password')
  writeFileSync(file, ADMIN_PASSWORD)
  const flags = ['--server', server, '--user', 'admin', '--password-file', file]
  return new Program(['history', ...flags], { env }).ended()
}

describe('a command that asks a server by TLS', () => {
  it('believes the authorities of Node and those that NODE_EXTRA_CA_CERTS names', async () => {
    const service = await startService()
    const authority = makeAuthority(tempDir())
    const server = `https://localhost:${await listening(inFrontOf(portOf(service.url), authority))}`

    const [strange, known] = await Promise.all([
      history(server, {}),
      history(server, { NODE_EXTRA_CA_CERTS: authority.ca }),
    ])

    expect(strange).toMatchObject({ code: 3, stdout: '' })
    expect(strange.stderr).toMatch(/certificate/)
    expect(known).toMatchObject({ code: 0, stderr: '' })
    expect(known.stdout).toMatch(/^r1 /)
  })

  it('asks through the proxy that the environment names, where Node does', async () => {
    const service = await startService(['--allowed-hosts', 'cairn.test'])
    const asked: string[] = []
    // Some versions of Node ask for a tunnel, and some for the whole address.
    const proxy = createHttpServer((call, answer) => {
      const { host, pathname, search } = new URL(call.url ?? '')
      asked.push(host)
      const { method, headers } = call
      const passed = request(`${service.url}${pathname}${search}`, { method, headers }, (found) => {
        answer.writeHead(found.statusCode ?? 0, found.headers)
        found.pipe(answer)
      })
      call.pipe(passed)
    })
    proxy.on('connect', ({ url }, client) => {
      asked.push((url ?? '').replace(/:80$/, ''))
      const target = connect(portOf(service.url), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        client.pipe(target).pipe(client)
      })
      client.on('error', () => target.destroy())
    })
    const port = await listening(proxy)
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${port}` }

    const { code, stdout } = await history('http://cairn.test', env)

    expect({ code, asked, printed: stdout.slice(0, 3) }).toEqual(
      OBEYS_PROXY ? { code: 0, asked: ['cairn.test'], printed: 'r1 ' } : UNKNOWN_HOST,
    )
  })
})
