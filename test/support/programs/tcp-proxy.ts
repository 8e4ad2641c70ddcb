import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A line between two programs on this machine, which a test cuts, or which stalls. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #stallsAfter: number
  #cutsBefore: string | null = null
  #cutsAfter: string | null = null
  #answered = 0
  #silent = new Set<Socket>()
  /** The treatment of a new connection. */
  #mode: 'carries' | 'refuses' | 'swallows' = 'carries'
  #delay = 0

  private constructor(port: number, stallsAfter: number) {
    this.#stallsAfter = stallsAfter
    this.#server = createServer((client) => this.#carry(client, port))
  }

  /**
   * A line to the server at an address. It carries `stallsAfter` bytes of its answers and no more: a
   * client that reads through it stays in the middle of an answer.
   */
  static async open(address: string, { stallsAfter = Infinity } = {}): Promise<TcpProxy> {
    return TcpProxy.to(Number(new URL(address).port), stallsAfter)
  }

  /** A connection to a port of this machine, on which nothing needs to listen yet. */
  static async to(port: number, stallsAfter = Infinity): Promise<TcpProxy> {
    const proxy = new TcpProxy(port, stallsAfter)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** Where it is reached. */
  get port(): number {
    return portOf(this.#server.address())
  }

  /** An address with this line in place of what it leads to. */
  through(address: string): string {
    const url = new URL(address)
    url.port = `${this.port}`
    return url.href
  }

  /** The next answer that has this text is lost, and with it the connection. */
  cutBefore(text: string): void {
    this.#cutsBefore = text
  }

  /** Drops the answer to the next call that has this text, and with it the connection. */
  cutAfter(text: string): void {
    this.#cutsAfter = text
  }

  /**
   * Keeps the present connections open, with nothing going through any more; new connections work.
   */
  silence(): void {
    this.#silent = new Set(this.#sockets)
  }

  /** Resets what is connected: who writes there at the same moment hears of it before it has written. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** Cuts present and new connections. */
  cutOff(): void {
    this.#mode = 'refuses'
    this.#cutAll()
  }

  /** Lets nothing through any more; new connections get no answer either. */
  deafen(): void {
    this.#mode = 'swallows'
    this.silence()
  }

  /** Delays all data by this many milliseconds. */
  slowDown(milliseconds: number): void {
    this.#delay = milliseconds
  }

  /** Carries everything again. What was silent or slow is cut, so that nothing is lost or overtaken in it. */
  heal(): void {
    if (this.#mode !== 'carries' || this.#delay > 0) this.#cutAll()
    this.#mode = 'carries'
    this.#delay = 0
  }

  /** Whether {@link cutBefore} or {@link cutAfter} has found its text. */
  get hasCut(): boolean {
    return this.#cutsBefore === null && this.#cutsAfter === null
  }

  get isStalled(): boolean {
    return this.#answered >= this.#stallsAfter
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cutAll()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #carry(client: Socket, port: number): void {
    if (this.#mode === 'refuses') return void client.destroy()
    const server = connect(port, '127.0.0.1')
    const both = [client, server]
    if (this.#mode === 'swallows') for (const socket of both) this.#silent.add(socket)
    for (const socket of both) {
      this.#sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => {
        this.#sockets.delete(socket)
        // The other end of a silent connection does not hear of its end.
        if (this.#silent.delete(socket)) return
        for (const each of both) each.destroy()
      })
    }
    let isAnswerLost = false
    client.on('data', (chunk: Buffer) => {
      if (this.#silent.has(client)) return
      if (this.#cutsAfter !== null && chunk.includes(this.#cutsAfter)) {
        this.#cutsAfter = null
        isAnswerLost = true
      }
      this.#pass(chunk, server)
    })
    server.on('data', (chunk: Buffer) => {
      if (this.#silent.has(server)) return
      if (this.#cutsBefore !== null && chunk.includes(this.#cutsBefore)) {
        this.#cutsBefore = null
        isAnswerLost = true
      }
      if (isAnswerLost) return both.forEach((each) => each.destroy())
      this.#answered += chunk.length
      this.#pass(chunk, client)
      if (this.isStalled) server.pause()
    })
  }

  /** Timers of one length end in the order in which they began. */
  #pass(chunk: Buffer, to: Socket): void {
    if (this.#delay === 0) to.write(chunk)
    else void wait(this.#delay).then(() => to.write(chunk))
  }
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
