import { connect, type Socket } from 'node:net'
import { ADMIN_PASSWORD } from '../service/service.ts'

export const BASIC = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`

/** A connection to a service, over which anything can be said. */
export class RawConnection {
  readonly socket: Socket
  #heard = ''
  readonly #ended: Promise<unknown>

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.socket = connect(Number(port), hostname)
    this.socket.setEncoding('latin1').on('data', (text: string) => (this.#heard += text))
    // A connection that is cut is as good as one that is ended.
    this.socket.on('error', () => {})
    this.#ended = new Promise((resolve) => this.socket.once('close', resolve))
  }

  say(text: string): void {
    if (this.socket.writable) this.socket.write(text, 'latin1')
  }

  /** The bytes that came until the other side ended the connection. */
  async heard(): Promise<string> {
    await this.#ended
    return this.#heard
  }
}

/** Sends exactly these bytes as a request and gives the answer as it comes over the line. */
export async function rawRequest(
  url: string,
  lines: readonly string[],
  body = '',
): Promise<string> {
  const connection = new RawConnection(url)
  connection.say(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)
  return connection.heard()
}

/** A GET of a path that no library would send like this, with the credentials of admin. */
export function rawGet(url: string, path: string): Promise<string> {
  return rawRequest(url, [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: ${BASIC}`])
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
}
