import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A line between two programs on this machine, which a test cuts, or which stalls. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #stallsAfter: number
  #cutsBefore: string | null = null
  #answered = 0
  #silent = new Set<Socket>()

  private constructor(port: number, stallsAfter: number) {
    this.#stallsAfter = stallsAfter
    this.#server = createServer((client) => this.#carry(client, port))
  }

  /**
   * A line to the server at an address. It carries `stallsAfter` bytes of its answers and no more: a
   * client that reads through it stays in the middle of an answer.
   */
  static async open(address: string, { stallsAfter = Infinity } = {}): Promise<TcpProxy> {
    const proxy = new TcpProxy(Number(new URL(address).port), stallsAfter)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** An address with this line in place of what it leads to. */
  through(address: string): string {
    const url = new URL(address)
    url.port = `${portOf(this.#server.address())}`
    return url.href
  }

  /** The next answer that has this text is lost, and with it the connection. */
  cutBefore(text: string): void {
    this.#cutsBefore = text
  }

  /** What is connected stays so, and nothing goes through any more; new connections work. */
  silence(): void {
    this.#silent = new Set(this.#sockets)
  }

  /** Whether {@link cutBefore} has cut. */
  get hasCut(): boolean {
    return this.#cutsBefore === null
  }

  get isStalled(): boolean {
    return this.#answered >= this.#stallsAfter
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #carry(client: Socket, port: number): void {
    const server = connect(port, '127.0.0.1')
    const both = [client, server]
    for (const socket of both) {
      this.#sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => {
        this.#sockets.delete(socket)
        for (const each of both) each.destroy()
      })
    }
    client.on('data', (chunk: Buffer) => {
      if (!this.#silent.has(client)) server.write(chunk)
    })
    server.on('data', (chunk: Buffer) => {
      if (this.#silent.has(server)) return
      if (this.#cutsBefore === null || !chunk.includes(this.#cutsBefore)) {
        this.#answered += chunk.length
        client.write(chunk)
        if (this.isStalled) server.pause()
        return
      }
      this.#cutsBefore = null
      for (const each of both) each.destroy()
    })
  }
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
