import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/**
 * Serves repositories over HTTP to callers with the credentials, and inspects the machine at each
 * request.
 */
export interface GuardedOrigin {
  /** The address with the credentials in it. */
  urlOf(path: string): string
  readonly host: string
  /** Every command line of the machine, at every request. */
  readonly commandLines: string[]
}

export interface Credentials {
  readonly username: string
  readonly password: string
}

type Answer = (incoming: IncomingMessage, response: ServerResponse) => void

/** Serves the files of a folder, which is enough for clones of git. */
export function guardedFolder(folder: string, who: Credentials): Promise<GuardedOrigin> {
  return guarded(who, ({ url = '/' }, response) => {
    const file = join(folder, new URL(url, 'http://x').pathname)
    if (existsSync(file) && statSync(file).isFile()) createReadStream(file).pipe(response)
    else response.writeHead(404).end()
  })
}

/** Serves a repository of Mercurial. */
export async function guardedHg(folder: string, who: Credentials): Promise<GuardedOrigin> {
  const args = ['serve', '--address', '127.0.0.1', '--port', '0']
  const hg = spawn('hg', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void hg.kill())
  const [line]: unknown[] = await once(hg.stdout, 'data')
  const port = /:(\d+)\//.exec(String(line))?.[1]
  return guarded(who, (incoming, response) => {
    const { url: path, method } = incoming
    const { authorization: _, ...headers } = incoming.headers
    const call = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(call)
  })
}

async function guarded(
  { username, password }: Credentials,
  answer: Answer,
): Promise<GuardedOrigin> {
  const commandLines: string[] = []
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const server = createServer((incoming, response) => {
    commandLines.push(...allCommandLines())
    if (incoming.headers.authorization === expected) answer(incoming, response)
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const user = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`
  return { host, commandLines, urlOf: (path) => `http://${user}@${host}/${path}` }
}

function allCommandLines(): string[] {
  return readdirSync('/proc')
    .map((name) => `/proc/${name}/cmdline`)
    .filter((file) => existsSync(file))
    .map((file) => readIfThere(file))
}

/** A process may end between two looks. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\0', ' ')
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return ''
    throw error
  }
}
