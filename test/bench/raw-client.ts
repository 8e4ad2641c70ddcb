import { connect, type Socket } from 'node:net'

const END_OF_HEADERS = '\r\n\r\n'
const OK = 'HTTP/1.1 200 '

interface Line {
  readonly socket: Socket
  /** The headers of the current answer, as far as they have arrived. */
  headers: Buffer
  /** Bytes of its body that are still to come; null while its headers are not complete. */
  bodyLeft: number | null
  /** When the current request was sent, by the clock of this process. */
  sentAt: number
}

/**
 * Puts one GET again and again over some connections, one at a time on each. It does little more
 * than count bytes, so that the server is what is busy and not who asks it.
 */
export class RawClient implements Disposable {
  readonly #request: string
  readonly #lines: readonly Line[]
  #unsent = 0
  #unanswered = 0
  #onAnswer: (wait: number) => void = () => {}
  #whenDone: { resolve: () => void; reject: (error: Error) => void } | null = null

  constructor(url: string, headers: Readonly<Record<string, string>>, connections: number) {
    const { hostname, port, host, pathname, search } = new URL(url)
    const given = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`)
    this.#request = [`GET ${pathname}${search} HTTP/1.1`, ...given, '', ''].join('\r\n')
    this.#lines = Array.from({ length: connections }, () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      const line: Line = { socket, headers: Buffer.alloc(0), bodyLeft: null, sentAt: 0 }
      socket.on('error', (error) => this.#whenDone?.reject(error))
      socket.on('data', (chunk) => this.#receive(line, chunk))
      return line
    })
  }

  /** Ends when that many answers have come; each has to be 200, and is told how long it was waited for, in milliseconds. */
  ask(times: number, onAnswer: (wait: number) => void = () => {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onAnswer = onAnswer
      this.#whenDone = { resolve, reject }
      this.#unsent = times
      this.#unanswered = times
      for (const line of this.#lines) this.#send(line)
    })
  }

  [Symbol.dispose](): void {
    for (const { socket } of this.#lines) socket.destroy()
  }

  #send(line: Line): void {
    if (this.#unsent === 0) return
    this.#unsent -= 1
    line.sentAt = performance.now()
    line.socket.write(this.#request)
  }

  #receive(line: Line, chunk: Buffer): void {
    const body = line.bodyLeft === null ? this.#readHeaders(line, chunk) : chunk.length
    if (line.bodyLeft === null) return
    line.bodyLeft -= body
    if (line.bodyLeft > 0) return
    line.bodyLeft = null
    this.#onAnswer(performance.now() - line.sentAt)
    this.#unanswered -= 1
    if (this.#unanswered === 0) this.#whenDone?.resolve()
    else this.#send(line)
  }

  /** How much of the chunk belongs to the body. */
  #readHeaders(line: Line, chunk: Buffer): number {
    const bytes = line.headers.length === 0 ? chunk : Buffer.concat([line.headers, chunk])
    const end = bytes.indexOf(END_OF_HEADERS)
    line.headers = end < 0 ? bytes : Buffer.alloc(0)
    if (end < 0) return 0
    const head = bytes.toString('latin1', 0, end)
    const [, length] = /\ncontent-length: (\d+)/i.exec(head) ?? []
    if (!head.startsWith(OK) || length === undefined) {
      this.#whenDone?.reject(new Error(`An answer begins with ${head.slice(0, 200)}`))
      return 0
    }
    line.bodyLeft = Number(length)
    return bytes.length - end - END_OF_HEADERS.length
  }
}
