import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A line to a server on this machine that carries so many bytes of its answers, and no more: whoever
 * reads through it is in the middle of an answer for as long as it likes.
 */
export class StallingProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #target: number
  readonly #limit: number
  readonly #sockets = new Set<Socket>()
  #passed = 0

  private constructor(target: string, limit: number) {
    this.#target = Number(new URL(target).port)
    this.#limit = limit
    this.#server = createServer((client) => this.#carry(client))
  }

  static async open(target: string, limit: number): Promise<StallingProxy> {
    const proxy = new StallingProxy(target, limit)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server.address())}`
  }

  get isStalled(): boolean {
    return this.#passed >= this.#limit
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #carry(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1')
    const both = [client, server]
    for (const socket of both) {
      this.#sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => {
        this.#sockets.delete(socket)
        for (const each of both) each.destroy()
      })
    }
    client.pipe(server)
    server.on('data', (chunk: Buffer) => {
      this.#passed += chunk.length
      client.write(chunk)
      if (this.isStalled) server.pause()
    })
  }
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
